import { peerRefusalIn } from '@hostler/io/local-socket.ts';
import { BusError } from './dbus.ts';
import { type BusMessage, mostValues, type Outgoing } from './message.ts';
import { tooLong } from './wire.read.ts';

/** Errors of a link, as sentences. */
export function closed(): BusError {
  return new BusError('Client.Disconnected', 'This connection to D-Bus was closed.');
}

export function toBusError({ errorName, body }: BusMessage): BusError {
  const name = errorName ?? 'org.freedesktop.DBus.Error.Failed';
  const [text] = body;
  return new BusError(name, typeof text === 'string' && text !== '' ? text : name);
}

export function noBus(socket: string, reason: string, cause?: unknown): BusError {
  // It names the socket itself.
  const what = peerRefusalIn(cause) === null ? ` at ${socket.replace('\0', '@')}` : '';
  return new BusError('Client.NoBus', `D-Bus cannot be reached${what}: ${reason}.`, cause);
}

export function lost(message: Outgoing, cause?: unknown): BusError {
  return new BusError(
    'Client.Disconnected',
    `The bus closed the connection before it answered ${nameOf(message)}.`,
    cause,
  );
}

export function timeout(message: Outgoing, timeoutMs: number): BusError {
  return new BusError(
    'Client.Timeout',
    `${message.destination} did not answer ${nameOf(message)} within ${Math.round(timeoutMs)} ms.`,
  );
}

export function tooLongMessage(message: Outgoing): BusError {
  return new BusError(
    tooLong,
    `${message.destination} answered ${nameOf(message)} with more than 16 MiB or ${mostValues.answer.toLocaleString('en')} values, which were not read.`,
  );
}

const nameOf = (message: Outgoing) => `${message.interface}.${message.member}`;

/** For the middle of a sentence, which names the socket: without the code, the call and the path of a system error. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error))
    .replace(/^E[A-Z0-9]+: ([^,]+), \w+(?: '.*')?$/, '$1')
    .replace(/\.$/, '');
}
