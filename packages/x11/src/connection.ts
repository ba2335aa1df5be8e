import type { Clock } from '@hostler/io/clock.ts';
import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import type { X11Key } from './authority.ts';
import { events, requests, x11Name } from './protocol.ts';

/**
 * A connection to an X server: requests go out, replies and events come in. Own code, because libX11 blocks the process when
 * the server hangs, and is not everywhere. https://www.x.org/releases/X11R7.7/doc/xproto/x11protocol.html
 */
export interface X11 {
  /** Window of the first screen. */
  root: number;
  /** Lowest and highest key code. */
  keyCodes: [number, number];
  maxRequestBytes: number;
  /** The first resource id of this client. */
  firstId: number;
  screen: X11Screen;
  /** A request with a reply, which is returned unparsed. Throws X11Error, or when the connection ends. */
  ask(opcode: number, detail: number, content?: Uint8Array): Promise<Buffer>;
  /** A request without a reply. Its errors are not reported. */
  send(opcode: number, detail: number, content?: Uint8Array): void;
  /** null: not supported by the server. */
  extension(name: string): Promise<X11Extension | null>;
  /** Each callback receives all events. */
  onEvent(received: (event: Buffer) => void): void;
  /** Once, when it ends unexpectedly. */
  onClosed(closed: (reason: Error) => void): void;
  close(): void;
}

/** The first screen, and how pixels of it are sent. */
export interface X11Screen {
  width: number;
  height: number;
  bitsPerPixel: number;
  /** Whether the lowest byte of a pixel comes first. */
  isLittleEndian: boolean;
  /** Which bits of a pixel are which colour; 0: pixels are indexes into a palette. */
  red: number;
  green: number;
  blue: number;
}

export interface X11Extension {
  opcode: number;
  firstEvent: number;
}

/** The server answered a request with an error of the protocol. */
export class X11Error extends Error {
  override readonly name = 'X11Error';
  readonly code: number;

  constructor(code: number, opcode: number) {
    super(`the X server answered request ${opcode} with error ${code}`);
    this.code = code;
  }
}

/** The server refused the connection: another key is needed. */
export class X11Refusal extends Error {
  override readonly name = 'X11Refusal';
}

export interface X11Options {
  socket: string;
  key: X11Key;
  /** For the greeting, and for each reply. */
  timeoutMs: number;
}

interface Waiting {
  opcode: number;
  resolve(reply: Buffer): void;
  reject(error: Error): void;
  cancel(): void;
}

const largestReply = 16 * 1024 * 1024;

export async function openX11(connect: ConnectLocal, clock: Clock, options: X11Options): Promise<X11> {
  const { socket, key, timeoutMs } = options;
  const waiting = new Map<number, Waiting>();
  const greeting = Promise.withResolvers<Buffer>();
  greeting.promise.catch(() => {});
  let greeted = false;
  let ended: Error | null = null;
  let sequence = 0;
  /** Received, but no whole message yet. */
  let pieces: Uint8Array[] = [];
  let received = 0;
  /** From this length on the pieces are joined: a long message in many pieces is copied once. */
  let needed = 0;
  const listeners: ((event: Buffer) => void)[] = [];
  let closed: (reason: Error) => void = () => {};

  const end = (reason: Error) => {
    if (ended !== null) return;
    ended = reason;
    cancelGreeting();
    greeting.reject(reason);
    for (const { reject, cancel } of waiting.values()) {
      cancel();
      reject(reason);
    }
    waiting.clear();
    if (greeted) closed(reason);
  };
  const late = () => new Error(`the X server did not answer within ${timeoutMs / 1000} s`);
  const cancelGreeting = clock.after(timeoutMs, () => end(late()));

  const receive = (message: Buffer) => {
    const [kind = 0] = message;
    if (kind > 1) {
      for (const listener of listeners) listener(message);
      return;
    }
    const pending = waiting.get(message.readUInt16LE(2));
    if (pending === undefined) return;
    waiting.delete(message.readUInt16LE(2));
    pending.cancel();
    if (kind === 1) pending.resolve(message);
    else pending.reject(new X11Error(message[1] ?? 0, pending.opcode));
  };

  const listening: LocalSocketEvents = {
    data(bytes) {
      if (ended !== null) return;
      try {
        pieces.push(bytes);
        received += bytes.length;
        if (received < needed) return;
        let rest = Buffer.concat(pieces);
        for (needed = sizeOf(rest, greeted); needed <= rest.length; needed = sizeOf(rest, greeted)) {
          const message = rest.subarray(0, needed);
          rest = rest.subarray(needed);
          if (greeted) receive(message);
          else {
            greeted = true;
            cancelGreeting();
            greeting.resolve(message);
          }
        }
        pieces = [rest];
        received = rest.length;
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)));
        connection.close();
      }
    },
    closed: (error) => end(error ?? new Error('the X server closed the connection')),
  };
  // Xorg runs as root or as the user, Xwayland as the user.
  const connection = await connect(socket, listening, 'self-or-root').catch((error: unknown) => {
    cancelGreeting();
    throw error;
  });

  connection.send(greetingOf(key));
  const setup = await greeting.promise.then(parseSetup).catch((error: unknown) => {
    connection.close();
    throw error;
  });

  const send = (opcode: number, detail: number, content: Uint8Array) => {
    sequence = (sequence + 1) & 0xffff;
    connection.send(requestOf(opcode, detail, content));
    return sequence;
  };
  const ask: X11['ask'] = (opcode, detail, content = new Uint8Array()) => {
    if (ended !== null) return Promise.reject(ended);
    const reply = Promise.withResolvers<Buffer>();
    const own = send(opcode, detail, content);
    const cancel = clock.after(timeoutMs, () => {
      waiting.delete(own);
      reply.reject(late());
    });
    waiting.set(own, { ...reply, opcode, cancel });
    return reply.promise;
  };

  return {
    ...setup,
    ask,
    send(opcode, detail, content = new Uint8Array()) {
      if (ended === null) send(opcode, detail, content);
    },
    async extension(name) {
      const reply = await ask(requests.queryExtension, 0, x11Name(name));
      return reply[8] === 1 ? { opcode: reply[9] ?? 0, firstEvent: reply[10] ?? 0 } : null;
    },
    onEvent(callback) {
      listeners.push(callback);
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

const padded = (length: number) => (length + 3) & ~3;

function greetingOf({ name, data }: X11Key): Buffer {
  const greeting = Buffer.alloc(12 + padded(name.length) + padded(data.length));
  // Little-endian from here on.
  greeting.write('l', 0, 'latin1');
  greeting.writeUInt16LE(11, 2);
  greeting.writeUInt16LE(name.length, 6);
  greeting.writeUInt16LE(data.length, 8);
  greeting.write(name, 12, 'latin1');
  greeting.set(data, 12 + padded(name.length));
  return greeting;
}

function requestOf(opcode: number, detail: number, content: Uint8Array): Buffer {
  const request = Buffer.alloc(4 + padded(content.length));
  request.writeUInt8(opcode, 0);
  request.writeUInt8(detail, 1);
  request.writeUInt16LE(request.length / 4, 2);
  request.set(content, 4);
  return request;
}

/** More than the received bytes: the message is incomplete. */
function sizeOf(bytes: Buffer, greeted: boolean): number {
  if (!greeted) return bytes.length < 8 ? 8 : 8 + 4 * bytes.readUInt16LE(6);
  if (bytes.length < 32) return 32;
  const kind = (bytes[0] ?? 0) & 0x7f;
  const size = kind === 1 || kind === events.genericEvent ? 32 + 4 * bytes.readUInt32LE(4) : 32;
  if (size > largestReply) throw new Error(`the X server sent a message of ${size} bytes`);
  return size;
}

function parseSetup(setup: Buffer): Pick<X11, 'root' | 'keyCodes' | 'maxRequestBytes' | 'firstId' | 'screen'> {
  if (setup[0] !== 1) {
    const reason = setup.toString('latin1', 8, 8 + (setup[1] ?? 0)).trim();
    throw new X11Refusal(`the X server refused the connection: ${reason}`);
  }
  const formats = 40 + padded(setup.readUInt16LE(24));
  const screens = formats + 8 * setup.readUInt8(29);
  return {
    root: setup.readUInt32LE(screens),
    keyCodes: [setup.readUInt8(34), setup.readUInt8(35)],
    maxRequestBytes: setup.readUInt16LE(26) * 4,
    firstId: setup.readUInt32LE(12),
    screen: parseScreen(setup, formats, screens),
  };
}

function parseScreen(setup: Buffer, formats: number, at: number): X11Screen {
  const word = (place: number) => (place + 4 <= setup.length ? setup.readUInt32LE(place) : 0);
  const byte = (place: number) => setup[place] ?? 0;
  const depth = byte(at + 38);
  let bitsPerPixel = 0;
  for (let place = formats; place < at; place += 8) if (byte(place) === depth) bitsPerPixel = byte(place + 1);
  return {
    width: word(at + 20) & 0xffff,
    height: word(at + 20) >>> 16,
    bitsPerPixel,
    isLittleEndian: byte(30) === 0,
    ...visualOf(setup, at, word),
  };
}

/** Of the root window, among those that each depth of the screen has. */
function visualOf(
  setup: Buffer,
  screen: number,
  word: (place: number) => number,
): Pick<X11Screen, 'red' | 'green' | 'blue'> {
  const wanted = word(screen + 32);
  let place = screen + 40;
  for (let depths = setup[screen + 39] ?? 0; depths > 0 && place < setup.length; depths -= 1) {
    const visuals = word(place) >>> 16;
    place += 8;
    for (let index = 0; index < visuals; index += 1, place += 24)
      if (word(place) === wanted) return { red: word(place + 8), green: word(place + 12), blue: word(place + 16) };
  }
  return { red: 0, green: 0, blue: 0 };
}
