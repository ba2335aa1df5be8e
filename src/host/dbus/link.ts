import fs from 'node:fs';
import type { Duplex } from 'node:stream';
import type { DBusConnection, Message } from 'dbus-native';
import { BusError } from './dbus.ts';
import { loadLibrary } from './library.ts';
import { unwrap } from './unwrap.ts';

/** One connection to a bus, from its Hello to its end. It never comes back; the bus opens another one. */
export interface Link {
  readonly isOpen: boolean;
  /** Somebody waits for an answer. */
  readonly isBusy: boolean;
  request(message: Message, timeoutMs: number): Promise<unknown[]>;
  /** The descriptors that came with the answer, now the caller's to close; none on a link that cannot carry them. */
  requestDescriptors(message: Message, timeoutMs: number): Promise<number[]>;
  end(): void;
}

export interface LinkEvents {
  onSignal(message: Message): void;
  /** Once, and only for a link that had been opened. */
  onEnded(): void;
  /** Ends it, in whatever state it is. */
  closing: AbortSignal;
}

/** How long we wait for an answer where nothing else was said, ms. */
export const patienceMs = 5000;

/**
 * dbus-native has a reconnect of its own, but it gives up for ever when the socket closes before the handshake is
 * through, and tries for ever when nobody is interested: one connection each, and the bus decides.
 */
export async function openLink(
  socket: string,
  events: LinkEvents,
  timeoutMs = patienceMs,
  connectStream?: ConnectStream,
): Promise<Link> {
  refuseMissing(socket);
  const { createConnection } = await loadLibrary();
  if (events.closing.aborted) throw closed();
  const pending = new Map<number, Pending>();
  const opening = Promise.withResolvers<Link>();
  let state: 'opening' | 'open' | 'ended' = 'opening';
  let serial = 0;
  const link: Link = {
    get isOpen() {
      return state === 'open';
    },
    get isBusy() {
      return pending.size > 0;
    },
    request: async (message, timeoutMs) => ((await ask(message, timeoutMs)).body ?? []).map(unwrap),
    requestDescriptors: async (message, timeoutMs) => (await ask(message, timeoutMs)).fds ?? [],
    end: endClosed,
  };

  const connection = dial(createConnection, socket, connectStream);
  const silence = `it took the connection, but said nothing for ${timeoutMs} ms`;
  const timer = setTimeout(() => end(noBus(socket, silence)), timeoutMs);
  connection.on('connect', greet);
  connection.on('message', receive);
  connection.on('error', (error) => end(noBus(socket, reasonOf(error), error)));
  connection.on('handlerError', (error) => end(noBus(socket, reasonOf(error), error)));
  connection.on('end', () => end(noBus(socket, 'it hung up')));
  connection.on('close', () => end(noBus(socket, 'it hung up')));
  events.closing.addEventListener('abort', endClosed);
  return opening.promise;

  function greet(): void {
    ask({ ...busObject, member: 'Hello' }, timeoutMs).then(
      () => {
        if (state !== 'opening') return;
        state = 'open';
        clearTimeout(timer);
        opening.resolve(link);
      },
      (error) => end(noBus(socket, reasonOf(error), error)),
    );
  }

  function ask(message: Message, timeoutMs: number): Promise<Message> {
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    if (state === 'ended') {
      reject(lost(message));
      return promise;
    }
    const own = nextSerial();
    const timer = setTimeout(() => settle(own)?.reject(timeout(message, timeoutMs)), timeoutMs);
    pending.set(own, { message, timer, resolve, reject });
    try {
      connection.message({ ...message, type: methodCall, serial: own });
    } catch (cause) {
      settle(own)?.reject(
        new BusError(
          'Hostler.Invalid',
          `${nameOf(message)} could not be written for D-Bus: ${reasonOf(cause)}.`,
          cause,
        ),
      );
    }
    return promise;
  }

  /** 32 bits, and zero is not one of them. */
  function nextSerial(): number {
    serial = serial === 0xffff_ffff ? 1 : serial + 1;
    return serial;
  }

  function settle(serial: number | undefined): Pending | undefined {
    const call = pending.get(serial ?? 0);
    if (!call) return undefined;
    pending.delete(serial ?? 0);
    clearTimeout(call.timer);
    return call;
  }

  function receive(message: Message): void {
    if (state === 'ended') return;
    const answered = message.type === methodReturn ? settle(message.replySerial) : undefined;
    if (answered) answered.resolve(message);
    // Nobody waits for these.
    else for (const descriptor of message.fds ?? []) fs.closeSync(descriptor);
    if (message.type === errorReply) settle(message.replySerial)?.reject(toBusError(message));
    else if (message.type === signal) events.onSignal(message);
    else if (message.type === methodCall && !((message.flags ?? 0) & noReplyExpected)) decline(message);
  }

  /** We offer nothing, and say so rather than let the caller wait. */
  function decline({ sender, serial: replySerial }: Message): void {
    if (sender === undefined || replySerial === undefined) return;
    const errorName = 'org.freedesktop.DBus.Error.UnknownMethod';
    connection.message({ type: errorReply, serial: nextSerial(), destination: sender, replySerial, errorName });
  }

  function endClosed(): void {
    end(closed());
  }

  function end(reason: BusError): void {
    if (state === 'ended') return;
    const wasOpen = state === 'open';
    state = 'ended';
    clearTimeout(timer);
    events.closing.removeEventListener('abort', endClosed);
    connection.stream.destroy();
    for (const own of [...pending.keys()]) {
      const call = settle(own);
      call?.reject(lost(call.message, reason));
    }
    opening.reject(reason);
    if (wasOpen) events.onEnded();
  }
}

/** Where there is no bus, the library need not be loaded, nor a connection be tried each time somebody asks. */
function refuseMissing(socket: string): void {
  try {
    if (socket.startsWith('/')) fs.accessSync(socket);
  } catch (error) {
    throw noBus(socket, reasonOf(error), error);
  }
}

/** Opens another kind of stream to the socket, one that carries descriptors. */
export type ConnectStream = (socket: string) => Duplex;

function dial(
  createConnection: typeof import('dbus-native').createConnection,
  socket: string,
  connectStream?: ConnectStream,
): DBusConnection {
  try {
    return createConnection({
      ...(connectStream === undefined ? { socket } : { stream: connectStream(socket) }),
      // Its transport for descriptors never notices that the bus has gone.
      fdTransport: false,
      authMethods: ['EXTERNAL'],
      plainValues: false,
      variants: 'plain',
      maxMessageSize: 16 * 1024 * 1024,
    });
  } catch (error) {
    throw noBus(socket, reasonOf(error), error);
  }
}

export function closed(): BusError {
  return new BusError('Hostler.Disconnected', 'This connection to D-Bus was closed.');
}

export const busObject = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
} as const;

interface Pending {
  message: Message;
  timer: NodeJS.Timeout;
  resolve(reply: Message): void;
  reject(error: BusError): void;
}

const methodCall = 1;
const methodReturn = 2;
const errorReply = 3;
const signal = 4;
const noReplyExpected = 1;

function toBusError({ errorName, body }: Message): BusError {
  const name = errorName ?? 'org.freedesktop.DBus.Error.Failed';
  const [text] = body ?? [];
  return new BusError(name, typeof text === 'string' && text !== '' ? text : name);
}

function noBus(socket: string, reason: string, cause?: unknown): BusError {
  return new BusError('Hostler.NoBus', `D-Bus cannot be reached at ${socket.replace('\0', '@')}: ${reason}.`, cause);
}

function lost(message: Message, cause?: unknown): BusError {
  return new BusError('Hostler.Disconnected', `The bus went away before ${nameOf(message)} was answered.`, cause);
}

function timeout(message: Message, timeoutMs: number): BusError {
  return new BusError(
    'Hostler.Timeout',
    `${message.destination} did not answer ${nameOf(message)} within ${Math.round(timeoutMs)} ms.`,
  );
}

const nameOf = (message: Message) => `${message.interface}.${message.member}`;

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
