import type { CarrierEvents, ConnectCarrier, LocalSocket, Peer } from '@hostler/io/local-socket.ts';
import { BusError, busDaemon } from './dbus.ts';
import { createFrames } from './frames.ts';
import { closed, lost, noBus, reasonOf, timeout, toBusError, tooLongMessage } from './link.errors.ts';
import { type BusMessage, kinds, type Outgoing, readMessage, writeMessage } from './message.ts';
import { createHandshake, type Handshake } from './sasl.ts';
import { tooLong } from './wire.read.ts';

/** One connection to a bus, from its Hello to its end. It does not reconnect; the bus opens another one. */
export interface BusLink {
  readonly isOpen: boolean;
  /** A call waits for its reply. */
  readonly isBusy: boolean;
  /** Our unique name. */
  readonly name: string;
  request(message: Outgoing, timeoutMs: number): Promise<unknown[]>;
  /** The descriptors that came with the reply, now the caller's to close; none on a link that cannot carry them. */
  requestDescriptors(message: Outgoing, timeoutMs: number): Promise<number[]>;
  /** Sends a signal; there is no acknowledgement. */
  emit(message: Outgoing): void;
  end(): void;
}

/** Address of a bus, and its expected GUID. */
export interface BusEndpoint {
  socket: string;
  /** As in its address; null: the address has none. */
  guid: string | null;
  peer: Peer;
}

export interface BusLinkEvents {
  /** A signal whose body cannot be read is ignored; another exception ends the link. */
  onSignal(message: BusMessage): void;
  /** Handles a call of an exported method, and never rejects; left out: no methods are exported. */
  onCall?(message: BusMessage): Promise<CallReply>;
  /** Once, and only for a link that had been opened. */
  onEnded(): void;
  /** Ends the link, in any state. */
  closing: AbortSignal;
}

/** The reply to a caller: values, or an error whose only value is its message. */
export type CallReply = Pick<Outgoing, 'errorName' | 'signature' | 'body'>;

export const replyTimeoutMs = 5000;

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
  { timeoutMs = replyTimeoutMs, closeDescriptor }: LinkOptions = {},
): Promise<BusLink> {
  if (events.closing.aborted) throw closed();
  const silence = `it accepted the connection, but sent nothing for ${timeoutMs} ms`;
  const state: State = {
    phase: 'opening',
    socket,
    events,
    stream: null,
    handshake: null,
    frames: createFrames({
      received: (bytes) => receive(state, readMessage(bytes)),
      skipped: (header) => skip(state, header),
    }),
    serial: 0,
    name: '',
    pending: new Map(),
    unclaimed: [],
    closeDescriptor,
    opening: Promise.withResolvers(),
    timeoutMs,
    timer: setTimeout(() => end(state, noBus(socket, silence)), timeoutMs),
    abort: () => end(state, closed()),
  };
  events.closing.addEventListener('abort', state.abort);
  const listening: CarrierEvents = {
    data: (bytes) => guarded(state, () => receiveBytes(state, bytes)),
    descriptors: (list) => void state.unclaimed.push(...list),
    closed: (error) => end(state, noBus(socket, error === null ? 'it hung up' : reasonOf(error), error ?? undefined)),
  };
  connect(socket, listening, peer).then(
    (connected) => {
      state.stream = connected;
      // The link ended while connecting.
      if (state.phase === 'ended') return connected.close();
      guarded(state, () => {
        state.handshake = createHandshake(connected.send, closeDescriptor !== undefined, guid);
      });
    },
    (error) => end(state, noBus(socket, reasonOf(error), error)),
  );
  return state.opening.promise;
}

interface State {
  phase: 'opening' | 'open' | 'ended';
  readonly socket: string;
  readonly events: BusLinkEvents;
  stream: LocalSocket | null;
  /** null: over, or not begun. */
  handshake: Handshake | null;
  readonly frames: (bytes: Uint8Array) => void;
  serial: number;
  name: string;
  readonly pending: Map<number, Pending>;
  /** Received descriptors of messages that have not arrived yet. */
  readonly unclaimed: number[];
  readonly closeDescriptor: ((descriptor: number) => void) | undefined;
  readonly opening: PromiseWithResolvers<BusLink>;
  readonly timeoutMs: number;
  readonly timer: NodeJS.Timeout;
  readonly abort: () => void;
}

interface CallResult {
  message: BusMessage;
  descriptors: number[];
}

interface Pending {
  message: Outgoing;
  timer: NodeJS.Timeout;
  resolve(result: CallResult): void;
  reject(error: BusError): void;
}

const noReplyExpected = 1;

function linkOf(state: State): BusLink {
  return {
    get isOpen() {
      return state.phase === 'open';
    },
    get isBusy() {
      return state.pending.size > 0;
    },
    name: state.name,
    emit: (message) =>
      guarded(state, () => void state.stream?.send(writeMessage(kinds.signal, nextSerial(state), message))),
    request: async (message, timeoutMs) => (await call(state, message, timeoutMs)).message.body,
    requestDescriptors: async (message, timeoutMs) => (await call(state, message, timeoutMs)).descriptors,
    end: state.abort,
  };
}

/** Invalid data from the bus ends this link only. */
function guarded(state: State, act: () => void): void {
  try {
    if (state.phase !== 'ended') act();
  } catch (error) {
    end(state, noBus(state.socket, reasonOf(error), error));
  }
}

function receiveBytes(state: State, bytes: Uint8Array): void {
  if (state.stream === null) throw new Error('it sent data before the first request');
  if (state.handshake === null) return state.frames(bytes);
  const rest = state.handshake.receive(bytes);
  if (rest === null) return;
  state.handshake = null;
  sendHello(state);
  if (rest.length > 0) state.frames(rest);
}

function sendHello(state: State): void {
  call(state, { ...busDaemon, member: 'Hello' }, state.timeoutMs).then(
    ({ message }) => {
      if (state.phase !== 'opening') return;
      state.name = String(message.body[0] ?? '');
      state.phase = 'open';
      clearTimeout(state.timer);
      state.opening.resolve(linkOf(state));
    },
    (error) => end(state, noBus(state.socket, reasonOf(error), error)),
  );
}

function call(state: State, message: Outgoing, timeoutMs: number): Promise<CallResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CallResult>();
  if (state.phase === 'ended') {
    reject(lost(message));
    return promise;
  }
  const serial = nextSerial(state);
  const timer = setTimeout(() => settle(state, serial)?.reject(timeout(message, timeoutMs)), timeoutMs);
  state.pending.set(serial, { message, timer, resolve, reject });
  guarded(state, () => state.stream?.send(writeMessage(kinds.call, serial, message)));
  return promise;
}

/** 32 bits, never zero. */
function nextSerial(state: State): number {
  state.serial = state.serial === 0xffff_ffff ? 1 : state.serial + 1;
  return state.serial;
}

function settle({ pending }: State, serial = 0): Pending | undefined {
  const call = pending.get(serial);
  if (!call) return undefined;
  pending.delete(serial);
  clearTimeout(call.timer);
  return call;
}

function receive(state: State, message: BusMessage): void {
  if (state.phase === 'ended') return;
  const { kind, replySerial } = message;
  // Parse the body first: if it is invalid, the connection ends while the call is still pending.
  const isAnswer = (kind === kinds.reply || kind === kinds.error) && state.pending.has(replySerial ?? 0);
  if (isAnswer && !isRead(() => void message.body)) return discard(state, message);
  const descriptors = claim(state, message.descriptors);
  const answered = kind === kinds.reply ? settle(state, replySerial) : undefined;
  if (answered) answered.resolve({ message, descriptors });
  // No call waits for these.
  else for (const descriptor of descriptors) state.closeDescriptor?.(descriptor);
  if (kind === kinds.error) settle(state, replySerial)?.reject(toBusError(message));
  else if (kind === kinds.signal) handleSignal(state, message);
  else if (kind === kinds.call) handleCall(state, message);
}

/** Any peer may send one: a body that cannot be read must not end the link. */
function handleSignal(state: State, message: BusMessage): void {
  try {
    state.events.onSignal(message);
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
  }
}

function handleCall(state: State, message: BusMessage): void {
  const { sender: destination, serial: replySerial, flags } = message;
  const wantsReply = !(flags & noReplyExpected) && destination !== undefined;
  if (state.events.onCall === undefined) return wantsReply ? decline(state, message) : undefined;
  void state.events.onCall(message).then((answer) => {
    if (!wantsReply) return;
    const kind = answer.errorName === undefined ? kinds.reply : kinds.error;
    const reply = { destination, replySerial, ...answer };
    guarded(state, () => void state.stream?.send(writeMessage(kind, nextSerial(state), reply)));
  });
}

/** false: the body has too many values. */
function isRead(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof BusError && error.errorName === tooLong) return false;
    throw error;
  }
}

function skip(state: State, header: Buffer | null): void {
  if (state.phase === 'ended') return;
  if (header !== null) discard(state, readMessage(header));
  // How many descriptors are its own is unknown: the next message would get them.
  else if (state.closeDescriptor !== undefined) throw new Error('it sent a message with too long a header');
}

/** Discards a message that is too long; the connection stays open. */
function discard(state: State, message: BusMessage): void {
  for (const descriptor of claim(state, message.descriptors)) state.closeDescriptor?.(descriptor);
  const { kind, flags, replySerial } = message;
  if (kind === kinds.reply || kind === kinds.error) {
    const call = settle(state, replySerial);
    call?.reject(tooLongMessage(call.message));
  } else if (kind === kinds.call && !(flags & noReplyExpected)) decline(state, message);
}

/** Descriptors arrive beside the bytes; each message declares how many are its own. */
function claim({ unclaimed }: State, count: number): number[] {
  if (count > unclaimed.length) throw new Error('it refers to descriptors that it did not send');
  return unclaimed.splice(0, count);
}

/** Answers with an error rather than let the caller wait. */
function decline(state: State, { sender, serial: replySerial }: BusMessage): void {
  if (sender === undefined) return;
  const errorName = 'org.freedesktop.DBus.Error.UnknownMethod';
  state.stream?.send(writeMessage(kinds.error, nextSerial(state), { destination: sender, replySerial, errorName }));
}

function end(state: State, reason: BusError): void {
  if (state.phase === 'ended') return;
  const wasOpen = state.phase === 'open';
  state.phase = 'ended';
  clearTimeout(state.timer);
  state.events.closing.removeEventListener('abort', state.abort);
  state.stream?.close();
  for (const descriptor of state.unclaimed.splice(0)) state.closeDescriptor?.(descriptor);
  for (const serial of [...state.pending.keys()]) {
    const call = settle(state, serial);
    call?.reject(lost(call.message, reason));
  }
  state.opening.reject(reason);
  if (wasOpen) state.events.onEnded();
}
