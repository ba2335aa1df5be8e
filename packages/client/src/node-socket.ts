import { createByteQueue, readFrame } from './frames.ts';
import type { SocketLike } from './link.ts';

type Listener = (event: { message: string; data: unknown; code: number; reason: string }) => void;

const opcodes = { more: 0, text: 1, close: 8, ping: 9, pong: 10 };
/** The service sends updates below 4 MiB. */
const mostBytes = 32 * 1024 * 1024;

/** A WebSocket for Node 20, which has none: the part of RFC 6455 that a text-only client needs. */
export const createNodeSocket = (url: string, options: object = {}): SocketLike => {
  const listeners = new Map<string, Listener[]>();
  let asked: Asked | null = null;
  let stream: Stream | null = null;
  const received = createByteQueue();
  /** The fragments of a message. */
  const fragments = createByteQueue();
  let over = false;

  const emit = (type: string, what: Partial<Parameters<Listener>[0]> = {}) => {
    for (const listener of listeners.get(type) ?? [])
      listener({ message: '', data: null, code: 1006, reason: '', ...what });
  };
  const end = (code: number, reason: string, problem?: string) => {
    if (over) return;
    over = true;
    asked?.destroy();
    stream?.destroy();
    if (problem !== undefined) emit('error', { message: problem });
    emit('close', { code, reason });
  };
  const write = (opcode: number, payload: Uint8Array) => {
    if (!over) stream?.write(frameOf(opcode, payload));
  };

  const take = (opcode: number, isLast: boolean, payload: Uint8Array) => {
    if (opcode === opcodes.ping) {
      // A server that does not read its pongs gets no more of them.
      if (stream?.writableNeedDrain !== true) write(opcodes.pong, payload);
      return;
    }
    if (opcode === opcodes.pong) return;
    if (opcode === opcodes.close) {
      const code = payload.length < 2 ? 1005 : ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
      write(opcodes.close, payload.slice(0, 2));
      return end(code, textOf(payload.slice(2)));
    }
    if (opcode !== opcodes.text && opcode !== opcodes.more)
      return end(1003, '', 'The other end sent something other than text');
    const before = fragments.bytes().length;
    if (before + payload.length > mostBytes) return end(1009, '', tooLong);
    if (isLast && before === 0) return emit('message', { data: textOf(payload) });
    fragments.append(payload);
    if (!isLast) return;
    const text = textOf(fragments.bytes());
    fragments.drop(fragments.bytes().length);
    emit('message', { data: text });
  };

  const receive = (piece: Uint8Array) => {
    received.append(piece);
    const bytes = received.bytes();
    let at = 0;
    while (!over) {
      const frame = readFrame(bytes.subarray(at), mostBytes);
      if (frame === null) break;
      if (frame === 'too long') return end(1009, '', tooLong);
      if (frame === 'invalid') return end(1002, '', noWebSockets);
      at += frame.bytes;
      take(frame.opcode, frame.isLast, frame.payload);
    }
    if (at > 0) received.drop(at);
  };

  const open = async () => {
    const isSecure = url.startsWith('wss:');
    const name = isSecure ? 'node:https' : 'node:http';
    const { request }: Http = await import(/* @vite-ignore */ name);
    const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': key,
    };
    const accept = await acceptOf(key);
    if (over) return;
    asked = request(url.replace(/^ws/, 'http'), { ...options, headers });
    asked.on('error', ({ message }) => end(1006, '', message));
    asked.on('response', ({ statusCode }) => end(1006, '', `it answered ${statusCode} instead of opening a WebSocket`));
    asked.on('upgrade', ({ headers: answered }, upgraded, head) => {
      if (over) return upgraded.destroy();
      if (answered['sec-websocket-accept'] !== accept) {
        upgraded.destroy();
        return end(1002, '', noWebSockets);
      }
      stream = upgraded;
      upgraded.on('data', receive);
      upgraded.on('error', ({ message }) => end(1006, '', message));
      upgraded.on('close', () => end(1006, ''));
      emit('open');
      receive(head);
    });
    asked.end();
  };
  void open().catch((problem) => end(1006, '', String(problem)));

  return {
    addEventListener(type: string, listener: Listener) {
      listeners.set(type, [...(listeners.get(type) ?? []), listener]);
    },
    send: (text) => write(opcodes.text, new TextEncoder().encode(text)),
    close() {
      write(opcodes.close, new Uint8Array([3, 232]));
      end(1000, '');
    },
  };
};

const tooLong = 'A message is too long';
const noWebSockets = 'The other end does not speak the protocol of WebSockets';

/** https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2: only a server that read the request knows it. */
async function acceptOf(key: string): Promise<string> {
  const known = new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-1', known))));
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-5.2; what a client sends is masked. */
function frameOf(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const sizes =
    length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : [127, ...bytesOf(length)];
  const mask = crypto.getRandomValues(new Uint8Array(4));
  const [first = 0, ...rest] = sizes;
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return joined([new Uint8Array([0x80 | opcode, 0x80 | first, ...rest]), mask, masked]);
}

function bytesOf(length: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(length));
  return [...new Uint8Array(view.buffer)];
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The part of node:http and node:https in use. */
interface Http {
  request(url: string, options: object): Asked;
}

interface Asked {
  on(event: 'error', listener: (error: { message: string }) => void): void;
  on(event: 'response', listener: (response: { statusCode: number }) => void): void;
  on(event: 'upgrade', listener: (response: Response, stream: Stream, head: Uint8Array) => void): void;
  end(): void;
  destroy(): void;
}

interface Response {
  headers: Record<string, string | undefined>;
}

interface Stream {
  on(event: 'data', listener: (piece: Uint8Array) => void): void;
  on(event: 'error', listener: (error: { message: string }) => void): void;
  on(event: 'close', listener: () => void): void;
  /** What was written before waits to be sent. */
  writableNeedDrain: boolean;
  write(bytes: Uint8Array): void;
  destroy(): void;
}
