import type { Clock } from '@hostler/io/clock.ts';
import type { ConnectLocal, LocalSocket, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { decodeValues, encodeU32, type PulseValue } from './tagstruct.ts';

/** A connection to a sound server: commands go out, each gets its reply. */
export interface PulseConnection {
  /** The values of the reply. `fields` are encoded values. */
  command(code: number, ...fields: Uint8Array[]): Promise<PulseValue[]>;
  /** Later requests must be answered within this time, or the connection is closed. null: no limit. */
  limit(timeoutMs: number | null): void;
  isOpen(): boolean;
  close(): void;
}

export interface PulseConnectionOptions {
  path: string;
  /** Timeout of the connection, from connecting on, unless it is replaced. */
  timeoutMs: number;
}

export interface PulseEvents {
  /** Called for messages that answer no request. */
  received?(): void;
  /** Called once when the connection ends unexpectedly. */
  ended?(): void;
}

/** The server refused a command. `code` is one of the protocol, such as 1 for "access denied". */
export class PulseError extends Error {
  override readonly name = 'PulseError';
  readonly code: number;

  constructor(code: number) {
    super(code === 1 ? 'it denied access' : `it answered with error ${code}`);
    this.code = code;
  }
}

const ERROR = 0;
const REPLY = 2;
const headerBytes = 20;
/** Control messages go over no stream. */
const noChannel = 0xffff_ffff;
const largestFrame = 1024 * 1024;

interface Waiting {
  resolve(values: PulseValue[]): void;
  reject(error: Error): void;
}

export async function openPulseConnection(
  connect: ConnectLocal,
  clock: Clock,
  { path, timeoutMs }: PulseConnectionOptions,
  { received = () => {}, ended: onEnded = () => {} }: PulseEvents = {},
): Promise<PulseConnection> {
  const waiting = new Map<number, Waiting>();
  const frames = createFrames();
  let lastTag = 0;
  let ended: Error | null = null;
  let socket: LocalSocket | null = null;

  const end = (error: Error, byItself = true) => {
    if (ended !== null) return;
    ended = error;
    cancelTimeout();
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    socket?.close();
    if (byItself) onEnded();
  };
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const startTimeout = (ms: number) =>
    clock.after(ms, () => {
      const error = new Error(`it did not answer within ${ms / 1000} s`);
      late.reject(error);
      end(error);
    });
  let cancelTimeout = startTimeout(timeoutMs);

  const receive = (frame: Uint8Array) => {
    const [kind, tag, ...values] = decodeValues(frame);
    const pending = typeof tag === 'number' ? waiting.get(tag) : undefined;
    if (typeof tag !== 'number' || pending === undefined || (kind !== REPLY && kind !== ERROR)) return received();
    waiting.delete(tag);
    if (kind === REPLY) pending.resolve(values);
    else pending.reject(new PulseError(typeof values[0] === 'number' ? values[0] : 0));
  };

  const listening: LocalSocketEvents = {
    data(bytes) {
      if (ended !== null) return;
      try {
        for (const frame of frames(bytes)) receive(frame);
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)));
      }
    },
    closed: (error) => end(error ?? new Error('it closed the connection')),
  };
  const connecting = connect(path, listening, 'sound');
  connecting.then(
    (connected) => {
      socket = connected;
      // The connection was aborted meanwhile.
      if (ended !== null) connected.close();
    },
    () => cancelTimeout(),
  );
  const { send } = await Promise.race([connecting, late.promise]);

  return {
    command(code, ...fields) {
      if (ended !== null) return Promise.reject(ended);
      lastTag += 1;
      const reply = Promise.withResolvers<PulseValue[]>();
      waiting.set(lastTag, reply);
      send(frameOf(Buffer.concat([encodeU32(code), encodeU32(lastTag), ...fields])));
      return reply.promise;
    },
    limit(ms) {
      cancelTimeout();
      if (ms !== null && ended === null) cancelTimeout = startTimeout(ms);
    },
    isOpen: () => ended === null,
    close: () => end(new Error('the connection was closed'), false),
  };
}

function frameOf(content: Uint8Array): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(content.length, 0);
  header.writeUInt32BE(noChannel, 4);
  return Buffer.concat([header, content]);
}

/** Assembles control messages from the received pieces. */
function createFrames(): (bytes: Uint8Array) => Uint8Array[] {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const complete: Uint8Array[] = [];
    while (rest.length >= headerBytes) {
      const length = rest.readUInt32BE(0);
      if (length > largestFrame) throw new Error(`it sent a message of ${length} bytes`);
      if (rest.length < headerBytes + length) break;
      if (rest.readUInt32BE(4) === noChannel) complete.push(rest.subarray(headerBytes, headerBytes + length));
      rest = rest.subarray(headerBytes + length);
    }
    return complete;
  };
}
