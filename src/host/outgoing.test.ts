import { expect, test } from 'bun:test';
import { testStreams } from '../../test/harness/streams.ts';
import { until } from '../../test/harness/until.ts';
import { openStream } from './outgoing.ts';

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
