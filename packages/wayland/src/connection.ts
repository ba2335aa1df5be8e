import type { Clock } from '@hostler/io/clock.ts';
import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';

/** A connection to a Wayland compositor: objects by number, requests and events. https://wayland.freedesktop.org/docs/html/ch04.html */
export interface Wayland {
  /** Creates an object id whose events go to the callback. */
  create(handle: (opcode: number, event: WaylandEvent) => void): number;
  /** Events of a server-created object go to the callback. */
  adopt(object: number, handle: (opcode: number, event: WaylandEvent) => void): void;
  /** Drops further events of this object. */
  forget(object: number): void;
  request(object: number, opcode: number, ...values: WaylandValue[]): void;
  /** Resolves when the compositor has processed all earlier requests. */
  sync(): Promise<void>;
  /** Once, when it ends unexpectedly. */
  onClosed(closed: (reason: Error) => void): void;
  close(): void;
}

export type WaylandValue = number | string;

/** The values of an event, one after the other. */
export interface WaylandEvent {
  uint(): number;
  int(): number;
  text(): string;
  /** The words of an array. */
  words(): number[];
}

const display = 1;
const headerBytes = 8;

export async function openWayland(
  connect: ConnectLocal,
  clock: Clock,
  { socket, timeoutMs }: { socket: string; timeoutMs: number },
): Promise<Wayland> {
  const handlers = new Map<number, (opcode: number, event: WaylandEvent) => void>();
  const waiting = new Set<(reason: Error) => void>();
  let lastId = display;
  let rest = Buffer.alloc(0);
  let ended: Error | null = null;
  let closed: (reason: Error) => void = () => {};

  const end = (reason: Error) => {
    if (ended !== null) return;
    ended = reason;
    for (const reject of waiting) reject(reason);
    waiting.clear();
    closed(reason);
  };

  const listening: LocalSocketEvents = {
    data(bytes) {
      if (ended !== null) return;
      try {
        rest = Buffer.concat([rest, bytes]);
        while (rest.length >= headerBytes) {
          const size = rest.readUInt16LE(6);
          if (size < headerBytes) throw new Error('the compositor sent an invalid message');
          if (rest.length < size) break;
          const content = rest.subarray(headerBytes, size);
          handlers.get(rest.readUInt32LE(0))?.(rest.readUInt16LE(4), eventOf(content));
          rest = rest.subarray(size);
        }
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)));
        connection.close();
      }
    },
    closed: (error) => end(error ?? new Error('the compositor closed the connection')),
  };
  const connection = await connect(socket, listening, 'self-or-root');

  handlers.set(display, (opcode, event) => {
    if (opcode === 0) {
      event.uint();
      throw new Error(`the compositor refused a request with error ${event.uint()}: ${event.text()}`);
    }
    // Ids are not reused, so that a late event is not attributed to another object.
    handlers.delete(event.uint());
  });

  const create: Wayland['create'] = (handle) => {
    lastId += 1;
    handlers.set(lastId, handle);
    return lastId;
  };
  const request: Wayland['request'] = (object, opcode, ...values) => {
    if (ended === null) connection.send(messageOf(object, opcode, values));
  };
  return {
    create,
    adopt: (object, handle) => void handlers.set(object, handle),
    forget: (object) => void handlers.delete(object),
    request,
    sync() {
      if (ended !== null) return Promise.reject(ended);
      const done = Promise.withResolvers<void>();
      waiting.add(done.reject);
      const cancel = clock.after(timeoutMs, () =>
        done.reject(new Error(`the compositor did not answer within ${timeoutMs / 1000} s`)),
      );
      request(
        display,
        0,
        create(() => done.resolve()),
      );
      return done.promise.finally(() => {
        cancel();
        waiting.delete(done.reject);
      });
    },
    onClosed(callback) {
      closed = callback;
    },
    close() {
      closed = () => {};
      end(new Error('the connection was closed'));
      connection.close();
    },
  };
}

function messageOf(object: number, opcode: number, values: WaylandValue[]): Buffer {
  const parts = values.map((value) => (typeof value === 'number' ? word(value) : textOf(value)));
  const size = headerBytes + parts.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([word(object), word(((size << 16) | opcode) >>> 0), ...parts]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** Length with the NUL at the end, and room up to the next word. */
function textOf(value: string): Buffer {
  const length = Buffer.byteLength(value) + 1;
  const bytes = Buffer.alloc(4 + ((length + 3) & ~3));
  bytes.writeUInt32LE(length);
  bytes.write(value, 4);
  return bytes;
}

function eventOf(content: Buffer): WaylandEvent {
  let at = 0;
  const uint = () => {
    at += 4;
    return content.readUInt32LE(at - 4);
  };
  return {
    uint,
    int: () => uint() | 0,
    text() {
      const length = uint();
      const start = at;
      at += (length + 3) & ~3;
      if (at > content.length) throw new Error('the compositor sent a truncated text');
      return content.toString('utf8', start, start + Math.max(0, length - 1));
    },
    words() {
      const length = uint();
      const start = at;
      at += (length + 3) & ~3;
      if (at > content.length) throw new Error('the compositor sent a truncated list');
      return Array.from({ length: Math.floor(length / 4) }, (_, index) => content.readUInt32LE(start + 4 * index));
    },
  };
}
