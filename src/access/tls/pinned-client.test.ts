import { afterEach, expect, test } from 'bun:test';
import { createNodeSocket } from '@hostler/client/node-socket.ts';
import { pinTo } from '@hostler/client/pin.ts';
import { issue } from './certificates.issue.ts';

const { NODE_TLS_REJECT_UNAUTHORIZED: given } = process.env;
afterEach(() => {
  if (given === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = given;
});

type BunWebSocket = new (url: string, options: Bun.WebSocketOptions) => WebSocket;

const serve = async (authorityName: string) => {
  const { machine } = await issue({
    authority: null,
    authorityName,
    machineName: 'localhost',
    names: ['localhost'],
    addresses: ['127.0.0.1'],
    permittedDomains: [],
    now: Date.now(),
  });
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: machine.certificate, key: machine.key },
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response(null, { status: 400 })),
    websocket: { message() {} },
  });
};

test('a pinned client refuses another certificate, also where the environment switches the check off', async () => {
  await using own = await serve('own');
  await using other = await serve('other');
  const options = await pinTo({ read: () => null, write() {} })(own.url.href, 5000);
  if (options === null) throw new Error('the system trusts a certificate of this test');
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const outcome = (url: URL, open: (url: string) => Pick<WebSocket, 'addEventListener'>) =>
    new Promise<string>((resolve) => {
      const socket = open(url.href.replace('https:', 'wss:'));
      for (const type of ['open', 'close']) socket.addEventListener(type, () => resolve(type));
    });
  const ways = [
    (url: string) => new (WebSocket as unknown as BunWebSocket)(url, options),
    (url: string) => createNodeSocket(url, options) as Pick<WebSocket, 'addEventListener'>,
  ];
  for (const way of ways)
    expect([await outcome(own.url, way), await outcome(other.url, way)]).toEqual(['open', 'close']);
});
