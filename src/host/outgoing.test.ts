import { expect, test } from 'bun:test';
import net from 'node:net';
import { until } from '../../test/harness/until.ts';
import { openStream } from './outgoing.ts';

async function listen(take: (socket: net.Socket) => void) {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    take(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    target: { host: '127.0.0.1', port, tls: null, webSocket: null },
    sockets,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const quiet = { data: () => {}, closed: () => {} };

test('what is said in one go arrives in one piece, in order, and before the end', async () => {
  const pieces: string[] = [];
  let isOver = false;
  using server = await listen((socket) => {
    socket.on('data', (bytes) => void pieces.push(bytes.toString()));
    socket.on('end', () => {
      isOver = true;
    });
  });
  const stream = await openStream(server.target, quiet, 10_000);
  const shared = new Uint8Array(1);
  for (const letter of 'abc') {
    // The memory is used again at once.
    shared[0] = letter.charCodeAt(0);
    stream.send(shared);
  }
  expect(stream.waiting()).toBe(3);
  stream.close();
  await until(() => isOver, 'the end');
  expect(pieces).toEqual(['abc']);
});

test('somebody who reads slowly gets everything in order', async () => {
  const received: Buffer[] = [];
  using server = await listen((socket) => {
    socket.pause();
    setTimeout(() => socket.resume(), 200);
    socket.on('data', (bytes: Buffer) => void received.push(bytes));
  });
  const stream = await openStream(server.target, quiet, 10_000);
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

test('somebody who does not read at all is given up before the memory is full', async () => {
  using server = await listen((socket) => void socket.pause());
  const endings: (Error | null)[] = [];
  const stream = await openStream(
    server.target,
    { data: () => {}, closed: (error) => void endings.push(error) },
    10_000,
  );
  const piece = new Uint8Array(100_000);
  let most = 0;
  for (let each = 0; each < 1000 && endings.length === 0; each++) {
    stream.send(piece);
    most = Math.max(most, stream.waiting());
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await until(() => endings.length > 0, 'the end');
  expect(String(endings[0])).toContain('does not read');
  expect(most).toBeLessThan(4_500_000);
  expect(endings.length).toBe(1);
});
