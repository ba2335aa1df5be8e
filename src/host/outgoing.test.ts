import { expect, test } from 'bun:test';
import { testStreams } from '../../test/harness/streams.ts';
import { until } from '../../test/harness/until.ts';
import { foreignAddresses, openStream } from './outgoing.ts';

testStreams(openStream);

test('a WebSocket offers no compression: a small message could be unpacked to hundreds of megabytes', async () => {
  const offered = Promise.withResolvers<string | null>();
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, own) {
      offered.resolve(request.headers.get('sec-websocket-extensions'));
      return own.upgrade(request) ? undefined : new Response(null, { status: 400 });
    },
    websocket: { message() {}, perMessageDeflate: true },
  });
  const target = { host: '127.0.0.1', port: server.port ?? 0, tls: null, webSocket: { path: '/', protocol: 'mqtt' } };
  const stream = await openStream(target, { data() {}, closed() {} }, 30_000).catch(() => null);
  expect(await offered.promise).toBeNull();
  stream?.close();
});

test('a WebSocket that fails does not reveal its path', async () => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(null, { status: 400 }) });
  const webSocket = { path: "/s3cr3t'path?key=s3cr3t", protocol: 'mqtt' };
  const failure = async (port: number) =>
    await openStream({ host: '127.0.0.1', port, tls: null, webSocket }, { data() {}, closed() {} }, 30_000).then(
      () => 'opened',
      ({ message }) => message,
    );
  for (const message of [await failure(server.port ?? 0), await failure(1)]) {
    expect(message).toStartWith('127.0.0.1:');
    expect(message).not.toContain('s3cr3t');
  }
});

test('a paused WebSocket leaves further messages to the system until it is resumed', async () => {
  const count = 1024;
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, own) => (own.upgrade(request) ? undefined : new Response(null, { status: 400 })),
    websocket: {
      open(socket) {
        const message = new Uint8Array(65_536);
        for (let n = 0; n < count; n++) socket.send(message);
      },
      message() {},
      backpressureLimit: 2 * count * 65_536,
    },
  });
  let received = 0;
  const first = Promise.withResolvers<void>();
  const data = () => {
    received++;
    first.resolve();
    if (received === 1) stream.pause();
  };
  const target = { host: '127.0.0.1', port: server.port ?? 0, tls: null, webSocket: { path: '/', protocol: 'mqtt' } };
  const stream = await openStream(target, { data, closed() {} }, 30_000);
  await first.promise;
  await Bun.sleep(300);
  expect(received).toBeLessThan(count / 8);
  stream.resume();
  await until(() => received === count, 'all messages');
  stream.close();
});

test('a WebSocket ends although the peer sends on and does not confirm it', async () => {
  const ended = Promise.withResolvers<void>();
  // A binary message of 4 KiB.
  const frame = Buffer.concat([Buffer.of(0x82, 126, 0x10, 0x00), Buffer.alloc(4096)]);
  const frames = Buffer.concat(Array(64).fill(frame));
  let rest = frames;
  const sendOn = (socket: Bun.Socket) => {
    for (let written = -1; written !== 0; rest = rest.length === written ? frames : rest.subarray(written))
      written = Math.max(0, socket.write(rest));
  };
  const accept = (key: string) =>
    new Bun.CryptoHasher('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  using server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket, bytes) {
        const key = /^sec-websocket-key: (.+)\r$/im.exec(bytes.toString())?.[1];
        if (key === undefined) return;
        const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
        lines.push(`Sec-WebSocket-Accept: ${accept(key)}`, 'Sec-WebSocket-Protocol: mqtt', '', '');
        socket.write(lines.join('\r\n'));
        sendOn(socket);
      },
      drain: sendOn,
      close: () => ended.resolve(),
    },
  });
  const target = { host: '127.0.0.1', port: server.port, tls: null, webSocket: { path: '/', protocol: 'mqtt' } };
  const stream = await openStream(target, { data: () => stream.close(), closed() {} }, 30_000);
  await ended.promise;
}, 30_000);

const tls = { serverName: 'localhost', ca: null, certificate: null };
const webSocket = { path: '/', protocol: 'mqtt' };

for (const [scheme, parts] of Object.entries({
  mqtts: { tls, webSocket: null },
  ws: { tls: null, webSocket },
  wss: { tls, webSocket },
})) {
  test(`a silent server fails the attempt over ${scheme}, and no event follows`, async () => {
    let ended = 0;
    using server = Bun.listen({
      port: 0,
      hostname: '127.0.0.1',
      socket: {
        data() {},
        close() {
          ended++;
        },
      },
    });
    const received: string[] = [];
    const events = { data: () => void received.push('data'), closed: () => void received.push('closed') };
    const opening = openStream({ host: '127.0.0.1', port: server.port, ...parts }, events, 300);
    await expect(opening).rejects.toThrow('did not answer within 0.3 s');
    await until(() => ended > 0, 'the socket is closed');
    // The close event of the client follows in a turn of its own.
    await Bun.sleep(100);
    expect(received).toEqual([]);
  });
}

test('a target that the runtime refuses at once fails once, also after the time limit', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const target = { host: '127.0.0.1', port: 9, tls: null, webSocket: { path: '/', protocol: 'not a token' } };
  await expect(openStream(target, { data() {}, closed() {} }, 50)).rejects.toThrow('cannot be reached');
  await Bun.sleep(200);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test.each(['127.0.0.1', '127.9.9.9', '0.0.0.0', '::ffff:127.0.0.1', '224.0.0.1'])('%s is our own', async (address) => {
  expect(await foreignAddresses(address, 80)).toEqual([]);
});

test('an address that cannot be bound belongs to another machine', async () => {
  expect(await foreignAddresses('192.0.2.201', 80)).toEqual(['192.0.2.201']);
});
