import { afterEach } from 'bun:test';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { until } from '../../harness/until.ts';
import type { RunningHostler } from './service.ts';

export interface Message {
  id: string;
  type: string;
  subtype: string;
  data: unknown;
  message?: string;
  module?: string;
}

/** A client that collects everything it receives, and sends frames of any kind. */
export interface SocketClient {
  messages: Message[];
  /** A message in the usual envelope. */
  send(event: string, data?: unknown, envelope?: Record<string, unknown>): void;
  /** The final reply to one request, or its error. */
  ask(event: string, data?: unknown, envelope?: Record<string, unknown>): Promise<Message>;
  /** The first unseen message of this kind. */
  until(found: (message: Message) => boolean, what: string): Promise<Message>;
  /** A frame as it is: opcode, payload, whether it is the last of a message, and whether a reserved bit is set. */
  frame(opcode: number, payload: string | Uint8Array, options?: { fin?: boolean; compressed?: boolean }): void;
  /** Bytes that may not be a frame. */
  raw(bytes: Uint8Array): void;
  pongs(): number;
  /** Answer no pings from now on. */
  playDead(): void;
  pause(): void;
  resume(): void;
  /** How the peer closed: the code, or null when the connection just ended. */
  closed: Promise<{ code: number | null; reason: string }>;
  isClosed(): boolean;
  end(): void;
}

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 };

/** Over a plain socket: nothing between the test and the bytes. */
export async function connectSocket(
  hostler: Pick<RunningHostler, 'port' | 'token'>,
  { headers = {}, address = '127.0.0.1' }: { headers?: Record<string, string>; address?: string } = {},
): Promise<SocketClient> {
  const socket = net.connect(hostler.port, address);
  const lines = Object.entries({
    Host: `${address}:${hostler.port}`,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Version': '13',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const messages: Message[] = [];
  const ended = Promise.withResolvers<{ code: number | null; reason: string }>();
  const opened = Promise.withResolvers<void>();
  let buffered = Buffer.alloc(0);
  let open = false;
  let closed = false;
  let alive = true;
  let pongs = 0;
  let goodbye: { code: number | null; reason: string } = { code: null, reason: '' };

  const frame: SocketClient['frame'] = (opcode, payload, { fin = true, compressed = false } = {}) => {
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : Buffer.from(payload);
    const mask = randomBytes(4);
    const long = bytes.length > 65_535;
    const head = Buffer.alloc(long ? 10 : bytes.length > 125 ? 4 : 2);
    head[0] = (fin ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode;
    head[1] = 0x80 | (long ? 127 : bytes.length > 125 ? 126 : bytes.length);
    if (long) head.writeBigUInt64BE(BigInt(bytes.length), 2);
    else if (head.length === 4) head.writeUInt16BE(bytes.length, 2);
    for (let index = 0; index < bytes.length; index++) bytes[index] = (bytes[index] ?? 0) ^ (mask[index % 4] ?? 0);
    socket.write(Buffer.concat([head, mask, bytes]));
  };

  const take = (opcode: number, payload: Buffer) => {
    if (opcode === opcodes.text) messages.push(JSON.parse(payload.toString('utf8')));
    if (opcode === opcodes.pong) pongs++;
    if (opcode === opcodes.ping && alive) frame(opcodes.pong, payload);
    if (opcode !== opcodes.close) return;
    goodbye = {
      code: payload.length < 2 ? null : payload.readUInt16BE(0),
      reason: payload.subarray(2).toString('utf8'),
    };
    frame(opcodes.close, payload.subarray(0, 2));
    socket.end();
  };

  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    if (!open) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = buffered.subarray(0, end).toString('latin1');
      buffered = buffered.subarray(end + 4);
      if (!head.startsWith('HTTP/1.1 101')) return opened.reject(new Error(head));
      open = true;
      opened.resolve();
    }
    for (let next = frameIn(buffered); next !== null; next = frameIn(buffered)) {
      buffered = buffered.subarray(next.end);
      take(next.opcode, next.payload);
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    opened.reject(new Error('closed before it was open'));
    ended.resolve(goodbye);
  });
  socket.write(`GET /api/websocket HTTP/1.1\r\n${lines.join('')}\r\n`);
  await opened.promise;

  let asked = 0;
  const send: SocketClient['send'] = (event, data, envelope = {}) =>
    frame(opcodes.text, JSON.stringify({ token: hostler.token, id: event, event, data, ...envelope }));
  const wait: SocketClient['until'] = async (found, what) => {
    await until(() => messages.some(found) || closed, what);
    const message = messages.find(found);
    if (message === undefined) throw new Error(`closed (${goodbye.code} ${goodbye.reason}) before ${what}`);
    return message;
  };
  return {
    messages,
    send,
    async ask(event, data, envelope = {}) {
      const id = `ask-${++asked}`;
      send(event, data, { id, ...envelope });
      return await wait((message) => message.id === (envelope.id ?? id) && !isTold(message), `the answer to ${event}`);
    },
    until: wait,
    frame,
    raw: (bytes) => void socket.write(bytes),
    pongs: () => pongs,
    playDead() {
      alive = false;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    closed: ended.promise,
    isClosed: () => closed,
    end: () => void socket.destroy(),
  };
}

/** Messages before the reply carry the id of the request as well. */
const isTold = ({ type }: Message) => type === 'COMMAND_EXECUTING' || type === 'COMMAND_OUTPUT';

function frameIn(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return null;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < start + length) return null;
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(start, start + length), end: start + length };
}

/** Clients of the service of a test file, which end after each test. */
export function createSocketClients(hostlerOf: () => RunningHostler) {
  const clients: SocketClient[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.end();
  });
  return async (options?: Parameters<typeof connectSocket>[1]): Promise<SocketClient> => {
    const client = await connectSocket(hostlerOf(), options);
    clients.push(client);
    return client;
  };
}

export const isUpdate = (module: string) => (message: Message) =>
  message.type === 'DATA_UPDATE' && message.module === module;
