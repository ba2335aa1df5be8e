import { BusError } from '@hostler/dbus/dbus.ts';
import { peerRefusalIn } from '@hostler/io/local-socket.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';

export async function orUnsupported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof BusError)) throw cause;
    throw new ServiceError('unsupported', whyNot(cause), { cause });
  }
}

export function whyNot(error: unknown): string {
  const name = error instanceof BusError ? error.errorName : '';
  if (name === 'Client.Timeout') {
    return 'The desktop did not accept a notification within 2 s; restart its notification server';
  }
  const refusal = peerRefusalIn(error);
  if (refusal !== null) return `No notifications are shown: ${refusal.message}`;
  if (name === 'Client.NoBus') return 'There is no desktop session to show notifications in; log in to one';
  const known = 'No notification server is running in this session; start one, such as dunst or mako';
  return /\.(ServiceUnknown|NameHasNoOwner|UnknownMethod)$/.test(name) ? known : `${known} (${messageOf(error)})`;
}
