import { afterAll, afterEach, expect, test } from 'bun:test';
import { lacks } from '../../test/harness/lacks.ts';
import { issue } from '../access/tls/certificates.issue.ts';
import { postRemotely } from '../cli/remote-http.ts';
import { createPostForm } from '../features/chat/client/chat.oauth.ts';
import { createDownload } from './download.ts';
import { fetchPlain } from './plain-fetch.ts';
import { createPost } from './post.ts';

/** Ten megabytes in ten kilobytes, sent to clients that do not accept compression. */
const bomb = Bun.gzipSync(new TextEncoder().encode(JSON.stringify('0'.repeat(10_000_000))));
const accepted: (string | null)[] = [];
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch({ headers }) {
    accepted.push(headers.get('accept-encoding'));
    return new Response(bomb, { headers: { 'Content-Encoding': 'gzip' } });
  },
});
const environment = { ...process.env };
afterEach(() => {
  for (const name of ['http_proxy', 'https_proxy', 'NODE_TLS_REJECT_UNAUTHORIZED'])
    if (environment[name] === undefined) delete process.env[name];
    else process.env[name] = environment[name];
});
const url = `http://127.0.0.1:${server.port}/`;
afterAll(() => server.stop(true));

test('a response stays as it was sent', async () => {
  const response = await fetchPlain(url, { headers: { 'User-Agent': 'test' } });
  expect(Buffer.from(await response.arrayBuffer()).equals(bomb)).toBe(true);
});

test('a compressed response is neither requested nor read', async () => {
  const limits = { timeoutMs: 30_000, maxBytes: 100_000_000 };
  await expect(createDownload('test')(url, limits)).rejects.toThrow('its response is compressed');
  await expect(postRemotely(url, {}, 'test', null)).rejects.toThrow('its response is compressed');
  expect(await createPostForm('test')(url, {})).toEqual({ status: 200, text: '' });
  const order = { url, headers: {}, body: new Uint8Array([1]), authorities: null, timeoutMs: 30_000 };
  const { status, body } = await createPost('test')({ ...order, signal: new AbortController().signal });
  expect({ status, bytes: body.length }).toEqual({ status: 200, bytes: 0 });
  expect(accepted).toEqual(['identity', 'identity', 'identity', 'identity', 'identity']);
});

/** What every caller of it sends. */
const requests: [string, (url: string) => Promise<unknown>][] = [
  ['download', (address) => createDownload('test')(address, { timeoutMs: 30_000, maxBytes: 1000 })],
  ['chat', (address) => createPostForm('test')(address, { client_secret: 'secret' })],
  ['pairing', (address) => postRemotely(address, {}, 'test', null)],
  [
    'post',
    (address) =>
      createPost('test')({
        url: address,
        headers: { Authorization: 'secret' },
        body: new Uint8Array([1]),
        authorities: null,
        timeoutMs: 30_000,
        signal: new AbortController().signal,
      }),
  ],
];

test.each(requests)('a proxy gets no unencrypted %s to a near server, but others', async (_name, send) => {
  const taken: string[] = [];
  using target = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('{}') });
  using proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      taken.push(request.url);
      return new Response('{}');
    },
  });
  process.env.http_proxy = proxy.url.href;
  await send(target.url.href);
  // The server is not at ::1, which is tried first.
  if (!lacks('refusals')) await send(`http://localhost:${target.port}/`);
  expect(taken).toEqual([]);
  await send('http://hooks.example.org/');
  expect(taken).toEqual(['http://hooks.example.org/']);
});

test.each(requests)('the certificate of a %s is verified, whatever the environment says', async (_name, send) => {
  let reached = 0;
  const { machine } = await issue({
    authority: null,
    authorityName: 'authority',
    machineName: 'localhost',
    names: ['localhost'],
    addresses: ['127.0.0.1'],
    permittedDomains: [],
    now: Date.now(),
  });
  using target = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: machine.certificate, key: machine.key },
    fetch() {
      reached += 1;
      return new Response('{}');
    },
  });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  await expect(send(target.url.href)).rejects.toThrow('certificate');
  expect(reached).toBe(0);
});
