import { afterEach, expect, spyOn, test } from 'bun:test';
import { createHash } from 'node:crypto';
import net from 'node:net';
import { createNodeSocket } from './node-socket.ts';

const servers = new Set<net.Server>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});

const acceptFor = (key: string) =>
  `Sec-WebSocket-Accept: ${createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')}`;

/** What a client has received when the connection ends. Each piece is sent when the client has had time for the one before. */
async function receivedOf(
  pieces: Iterable<Uint8Array>,
  acceptOf = acceptFor,
): Promise<{ texts: string[]; ended: number; sent: Buffer }> {
  const peers = new Set<net.Socket>();
  let sent = Buffer.alloc(0);
  const server = net.createServer((peer) => {
    peers.add(peer);
    peer.setNoDelay(true);
    peer.on('error', () => {});
    peer.once('data', async (request) => {
      peer.on('data', (piece) => {
        sent = Buffer.concat([sent, Buffer.from(piece)]);
      });
      const [, key = ''] = /Sec-WebSocket-Key: (\S+)/.exec(request.toString()) ?? [];
      peer.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${acceptOf(key)}\r\n\r\n`,
      );
      for (const piece of pieces) {
        peer.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const socket = createNodeSocket(`ws://127.0.0.1:${address.port}/`);
  const texts: string[] = [];
  socket.addEventListener('message', ({ data }) => void texts.push(String(data)));
  const ended = await new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
  for (const peer of peers) peer.destroy();
  return { texts, ended, sent };
}

const close = new Uint8Array([0x88, 2, 3, 232]);
const text = (payload: string | Uint8Array, first = 0x81) => {
  const bytes = Buffer.from(payload as string);
  const head = Buffer.alloc(10);
  head.writeUInt8(first);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, bytes]);
};
function* chunksOf(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

test('frames and fragments are joined, however they are cut', async () => {
  const bytes = Buffer.concat([
    Buffer.from([0x81, 1, 97]),
    text('b\u00fc', 0x01),
    Buffer.from([0x89, 1, 33]),
    text('', 0x00),
    text('c'.repeat(300), 0x80),
    Buffer.from([0x81, 126, 0, 130]),
    Buffer.alloc(130, 'd'),
    Buffer.from([0x81, 0]),
    close,
  ]);
  for (const length of [1, 7, bytes.length]) {
    const { texts, ended, sent } = await receivedOf(chunksOf(bytes, length));
    expect(texts).toEqual(['a', `b\u00fc${'c'.repeat(300)}`, 'd'.repeat(130), '']);
    expect(ended).toBe(1000);
    // The pong, where there was time for it.
    if (length === 1) expect(sent[0]).toBe(0x8a);
  }
});

test('a long message in many pieces is copied a few times at most', async () => {
  const length = 4 * 1024 * 1024;
  const spies = (['set', 'slice'] as const).map((name) => spyOn(Uint8Array.prototype, name));
  try {
    const { texts } = await receivedOf([...chunksOf(text('x'.repeat(length)), 16 * 1024), close]);
    expect(texts[0]).toHaveLength(length);
    const [set, slice] = spies;
    const copied = [
      ...(set?.mock.calls ?? []).map(([from]) => (from as unknown as Uint8Array).length),
      ...(slice?.mock.results ?? []).map(({ value }) => (value as Uint8Array).length),
    ].reduce((sum, one) => sum + one, 0);
    expect(copied).toBeLessThan(8 * length);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});

test.each([
  ['a frame that announces too much', 1009, [text('').with(9, 1).with(3, 1)]],
  ['fragments that are too long together', 1009, [text('x'.repeat(20 << 20), 0x01), text('x'.repeat(20 << 20), 0x00)]],
  ['a long ping', 1002, [text('x'.repeat(1000), 0x89)]],
  ['a masked frame', 1002, [new Uint8Array([0x81, 0x81, 0, 0, 0, 0, 97])]],
  ['bytes that are not text', 1003, [text('x', 0x82)]],
])('%s ends the connection with %d', async (_what, code, pieces) => {
  expect(await receivedOf(pieces)).toMatchObject({ texts: [], ended: code });
});

test.each([
  ['no', 'X-Other: 1'],
  ['another', acceptFor('another key')],
])('a server whose answer has %s Sec-WebSocket-Accept gets nothing', async (_which, header) => {
  const received = await receivedOf([new Uint8Array([0x81, 1, 97]), close], () => header);
  expect(received).toMatchObject({ texts: [], ended: 1002 });
  expect(received.sent).toHaveLength(0);
});

test('an attempt without an answer ends with its connection', async () => {
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const server = net.createServer((peer) => {
    peer.on('error', () => {});
    peer.once('data', () => opened.resolve());
    peer.on('close', () => ended.resolve());
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  const socket = createNodeSocket(`ws://127.0.0.1:${port}/`);
  await opened.promise;
  socket.close();
  await ended.promise;
});
