import type { CarrierEvents, ConnectCarrier, LocalSocket, Peer } from '@hostler/io/local-socket.ts';
import type { BusError } from './dbus.ts';
import { createFrames } from './frames.ts';
import { closed, lost, noBus, reasonOf, timeout, toBusError, tooLongMessage } from './link.errors.ts';
import { type BusMessage, kinds, type Outgoing, readMessage, writeMessage } from './message.ts';
import { createHandshake, type Handshake } from './sasl.ts';

/** One connection to a bus, from its Hello to its end. It does not reconnect; the bus opens another one. */
export interface BusLink {
  readonly isOpen: boolean;
  /** A call waits for its reply. */
  readonly isBusy: boolean;
  /** Our unique name. */
  readonly name: string;
  request(message: Outgoing, timeoutMs: number): Promise<unknown[]>;
  /** The descriptors that came with the answer, now the caller's to close; none on a link that cannot carry them. */
  requestDescriptors(message: Outgoing, timeoutMs: number): Promise<number[]>;
  /** Sends a signal; there is no acknowledgement. */
  emit(message: Outgoing): void;
  end(): void;
}

/** Address of a bus, and its expected GUID. */
export interface BusEndpoint {
  socket: string;
  /** As in its address; null: it has none there. */
  guid: string | null;
  peer: Peer;
}

export interface BusLinkEvents {
  /** An exception ends the link: a body that does not match its signature. */
  onSignal(message: BusMessage): void;
  /** Answers a call of an exported method, and never rejects; left out: there are none. */
  onCall?(message: BusMessage): Promise<CallAnswer>;
  /** Once, and only for a link that had been opened. */
  onEnded(): void;
  /** Ends the link, in any state. */
  closing: AbortSignal;
}

/** The reply to a caller: values, or an error with its sentence as the only value. */
export type CallAnswer = Pick<Outgoing, 'errorName' | 'signature' | 'body'>;

/** Default timeout of a reply, ms. */
export const answerWithinMs = 5000;

export interface LinkOptions {
  /** For connecting, and for the first reply. */
  timeoutMs?: number;
  /** Closes descriptors that no message claims; left out: this kind of stream carries none. */
  closeDescriptor?: (descriptor: number) => void;
}

export async function openBusLink(
  { socket, guid, peer }: BusEndpoint,
  events: BusLinkEvents,
  connect: ConnectCarrier,
  { timeoutMs = answerWithinMs, closeDescriptor }: LinkOptions = {},
): Promise<BusLink> {
  if (events.closing.aborted) throw closed();
  const pending = new Map<number, Pending>();
  const opening = Promise.withResolvers<BusLink>();
  const frames = createFrames({ heard: (bytes) => receive(readMessage(bytes)), skipped: skip });
  const unclaimed: number[] = [];
  let stream: LocalSocket | null = null;
  let handshake: Handshake | null = null;
  let state: 'opening' | 'open' | 'ended' = 'opening';
  let serial = 0;
  let name = '';
  const link: BusLink = {
    get isOpen() {
      return state === 'open';
    },
    get isBusy() {
      return pending.size > 0;
    },
    get name() {
      return name;
    },
    emit: (message) => guarded(() => void stream?.send(writeMessage(kinds.signal, nextSerial(), message))),
    request: async (message, timeoutMs) => (await ask(message, timeoutMs)).message.body,
    requestDescriptors: async (message, timeoutMs) => (await ask(message, timeoutMs)).descriptors,
    end: endClosed,
  };

  const silence = `it took the connection, but said nothing for ${timeoutMs} ms`;
  const timer = setTimeout(() => end(noBus(socket, silence)), timeoutMs);
  events.closing.addEventListener('abort', endClosed);
  const listening: CarrierEvents = {
    data: (bytes) => guarded(() => hear(bytes)),
    descriptors: (list) => void unclaimed.push(...list),
    closed: (error) => end(noBus(socket, error === null ? 'it hung up' : reasonOf(error), error ?? undefined)),
  };
  connect(socket, listening, peer).then(
    (connected) => {
      stream = connected;
      // The link ended while connecting.
      if (state === 'ended') return stream.close();
      guarded(() => {
        handshake = createHandshake(connected.send, closeDescriptor !== undefined, guid);
      });
    },
    (error) => end(noBus(socket, reasonOf(error), error)),
  );
  return opening.promise;

  /** Invalid data from the bus ends this link only. */
  function guarded(act: () => void): void {
    try {
      if (state !== 'ended') act();
    } catch (error) {
      end(noBus(socket, reasonOf(error), error));
    }
  }

  function hear(bytes: Uint8Array): void {
    if (stream === null) throw new Error('it sent data before the first request');
    if (handshake === null) return frames(bytes);
    const rest = handshake.hear(bytes);
    if (rest === null) return;
    handshake = null;
    greet();
    if (rest.length > 0) frames(rest);
  }

  function greet(): void {
    ask({ ...busObject, member: 'Hello' }, timeoutMs).then(
      ({ message }) => {
        if (state !== 'opening') return;
        name = String(message.body[0] ?? '');
        state = 'open';
        clearTimeout(timer);
        opening.resolve(link);
      },
      (error) => end(noBus(socket, reasonOf(error), error)),
    );
  }

  function ask(message: Outgoing, timeoutMs: number): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (state === 'ended') {
      reject(lost(message));
      return promise;
    }
    const own = nextSerial();
    const timer = setTimeout(() => settle(own)?.reject(timeout(message, timeoutMs)), timeoutMs);
    pending.set(own, { message, timer, resolve, reject });
    guarded(() => stream?.send(writeMessage(kinds.call, own, message)));
    return promise;
  }

  /** 32 bits, never zero. */
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

  function receive(message: BusMessage): void {
    if (state === 'ended') return;
    const { kind, replySerial } = message;
    // Read before anything else: where it cannot be read, the connection ends with the call still waiting.
    if ((kind === kinds.reply || kind === kinds.error) && pending.has(replySerial ?? 0)) void message.body;
    const descriptors = claim(message.descriptors);
    const answered = kind === kinds.reply ? settle(replySerial) : undefined;
    if (answered) answered.resolve({ message, descriptors });
    // No call waits for these.
    else for (const descriptor of descriptors) closeDescriptor?.(descriptor);
    if (kind === kinds.error) settle(replySerial)?.reject(toBusError(message));
    else if (kind === kinds.signal) events.onSignal(message);
    else if (kind === kinds.call) heed(message);
  }

  function heed(message: BusMessage): void {
    const { sender, serial: replySerial, flags } = message;
    const wantsReply = !(flags & noReplyExpected) && sender !== undefined;
    if (events.onCall === undefined) return wantsReply ? decline(message) : undefined;
    void events.onCall(message).then((answer) => {
      if (!wantsReply) return;
      const kind = answer.errorName === undefined ? kinds.reply : kinds.error;
      guarded(
        () => void stream?.send(writeMessage(kind, nextSerial(), { destination: sender, replySerial, ...answer })),
      );
    });
  }

  /** Discards a message that is too long; the connection stays open. */
  function skip(header: Buffer | null): void {
    if (state === 'ended' || header === null) return;
    const message = readMessage(header);
    for (const descriptor of claim(message.descriptors)) closeDescriptor?.(descriptor);
    const { kind, flags, replySerial } = message;
    if (kind === kinds.reply || kind === kinds.error) {
      const call = settle(replySerial);
      call?.reject(tooLongMessage(call.message));
    } else if (kind === kinds.call && !(flags & noReplyExpected)) decline(message);
  }

  /** Descriptors arrive beside the bytes; each message declares how many are its own. */
  function claim(count: number): number[] {
    if (count > unclaimed.length) throw new Error('it speaks of descriptors that have not come');
    return unclaimed.splice(0, count);
  }

  /** Answers with an error rather than let the caller wait. */
  function decline({ sender, serial: replySerial }: BusMessage): void {
    if (sender === undefined) return;
    const errorName = 'org.freedesktop.DBus.Error.UnknownMethod';
    stream?.send(writeMessage(kinds.error, nextSerial(), { destination: sender, replySerial, errorName }));
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
    stream?.close();
    for (const descriptor of unclaimed.splice(0)) closeDescriptor?.(descriptor);
    for (const own of [...pending.keys()]) {
      const call = settle(own);
      call?.reject(lost(call.message, reason));
    }
    opening.reject(reason);
    if (wasOpen) events.onEnded();
  }
}

export const busObject = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
} as const;

interface Answer {
  message: BusMessage;
  descriptors: number[];
}

interface Pending {
  message: Outgoing;
  timer: NodeJS.Timeout;
  resolve(answer: Answer): void;
  reject(error: BusError): void;
}

const noReplyExpected = 1;
