import { expect, test } from 'bun:test';
import net from 'node:net';
import type { OpenStream, StreamTarget } from '@hostler/io/byte-stream.ts';
import { lacks } from './lacks.ts';
import { until } from './until.ts';

const streamLimitMs = 30_000;

/** A server on the loopback; `take` gets every connection. */
async function listen(take: (socket: net.Socket) => void) {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    take(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const target: StreamTarget = { host: '127.0.0.1', port, tls: null, webSocket: null };
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { target, sockets, close, [Symbol.dispose]: () => void close() };
}

/** Collects the events of a stream. */
function createStreamEvents() {
  const endings: (Error | null)[] = [];
  const received: string[] = [];
  return {
    endings,
    received,
    data: (bytes: Uint8Array) => void received.push(Buffer.from(bytes).toString()),
    closed: (error: Error | null) => void endings.push(error),
  };
}

/** The contract of every way to open a stream. */
export function testStreams(open: OpenStream): void {
  test('data sent in one turn arrives in one piece, in order, and before the end', async () => {
    const pieces: string[] = [];
    let isOver = false;
    using server = await listen((socket) => {
      socket.on('data', (bytes) => void pieces.push(bytes.toString()));
      socket.on('end', () => {
        isOver = true;
      });
    });
    const events = createStreamEvents();
    const stream = await open(server.target, events, streamLimitMs);
    const shared = Buffer.alloc(1);
    for (const letter of 'abc') {
      // The memory is reused at once.
      shared[0] = letter.charCodeAt(0);
      stream.send(shared);
    }
    expect(stream.waiting()).toBe(3);
    stream.close();
    stream.send(shared);
    await until(() => isOver, 'the end');
    expect(pieces).toEqual(['abc']);
    expect(events.endings).toEqual([]);
  });

  test('received data is reported, and the end once, whether it is an end or a reset', async () => {
    for (const how of ['end', 'break'] as const) {
      using server = await listen((socket) => void socket.write('hello'));
      const events = createStreamEvents();
      await open(server.target, events, streamLimitMs);
      await until(() => events.received.join('') === 'hello', 'the words');
      if (how === 'end') server.sockets[0]?.end();
      else server.sockets[0]?.resetAndDestroy();
      await until(() => events.endings.length > 0, 'the end');
      expect(events.endings.map(String)).toEqual([how === 'end' ? 'null' : expect.stringContaining('ECONNRESET')]);
    }
  });

  test('a slow reader gets everything in order', async () => {
    const received: Buffer[] = [];
    using server = await listen((socket) => {
      socket.pause();
      setTimeout(() => socket.resume(), 200);
      socket.on('data', (bytes: Buffer) => void received.push(bytes));
    });
    const stream = await open(server.target, createStreamEvents(), streamLimitMs);
    const count = 3000;
    for (let each = 0; each < count; each++) {
      const piece = Buffer.alloc(1000);
      piece.writeUInt32BE(each);
      stream.send(piece);
      if (each % 100 === 0) await Promise.resolve();
    }
    await until(() => received.reduce((sum, { length }) => sum + length, 0) === count * 1000, 'all of it');
    const whole = Buffer.concat(received);
    for (let each = 0; each < count; each++) expect(whole.readUInt32BE(each * 1000)).toBe(each);
    expect(stream.waiting()).toBe(0);
    stream.close();
  });

  test('a paused stream leaves further bytes to the system until it is resumed', async () => {
    const total = 64 * 1024 * 1024;
    using server = await listen((socket) => void socket.write(Buffer.alloc(total)));
    let received = 0;
    const pieces = Promise.withResolvers<void>();
    const data = ({ length }: Uint8Array) => {
      received += length;
      pieces.resolve();
      if (received === length) stream.pause();
    };
    const stream = await open(server.target, { data, closed() {} }, streamLimitMs);
    await pieces.promise;
    await Bun.sleep(300);
    expect(received).toBeLessThan(total / 8);
    stream.resume();
    await until(() => received === total, 'all of it');
    stream.close();
  });

  test('a peer that does not read is dropped before the memory is full', async () => {
    using server = await listen((socket) => void socket.pause());
    const events = createStreamEvents();
    const stream = await open(server.target, events, streamLimitMs);
    const piece = new Uint8Array(100_000);
    let most = 0;
    for (let each = 0; each < 1000 && events.endings.length === 0; each++) {
      stream.send(piece);
      most = Math.max(most, stream.waiting());
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await until(() => events.endings.length > 0, 'the end');
    expect(events.endings.map(String)).toEqual([expect.stringContaining('does not read')]);
    expect(most).toBeLessThan(4_500_000);
  });

  const withRefusals = test.skipIf(lacks('refusals'));

  withRefusals('a name is resolved, and each of its addresses is tried', async () => {
    const pieces: string[] = [];
    using server = await listen((socket) => void socket.on('data', (bytes) => void pieces.push(bytes.toString())));
    const stream = await open({ ...server.target, host: 'localhost' }, createStreamEvents(), streamLimitMs);
    stream.send(Buffer.from('abc'));
    await until(() => pieces.join('') === 'abc', 'the words');
    stream.close();
  });

  withRefusals('an unreachable peer is named, with the reason', async () => {
    const server = await listen(() => {});
    await server.close();
    const { target } = server;
    const toNobody = (host: string) => open({ ...target, host }, createStreamEvents(), streamLimitMs);
    await expect(toNobody('127.0.0.1')).rejects.toThrow(
      `127.0.0.1:${target.port} cannot be reached: no server is listening at its address`,
    );
    // There is no route, so it fails before anything is sent.
    await expect(toNobody('255.255.255.255')).rejects.toThrow('cannot be reached');
    await expect(toNobody('no.such.name.invalid')).rejects.toThrow('no.such.name.invalid');
  });
}
