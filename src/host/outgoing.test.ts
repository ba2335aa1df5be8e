import { expect, test } from 'bun:test';
import { testStreams } from '../../test/harness/streams.ts';
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
