import { afterAll, expect, test } from 'bun:test';
import { createRemoteHttp } from '../cli/remote-http.ts';
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
const url = `http://127.0.0.1:${server.port}/`;
afterAll(() => server.stop(true));

test('a response stays as it was sent', async () => {
  const response = await fetchPlain(url, { headers: { 'User-Agent': 'test' } });
  expect(Buffer.from(await response.arrayBuffer()).equals(bomb)).toBe(true);
});

test('a compressed response is neither requested nor read', async () => {
  const limits = { timeoutMs: 30_000, maxBytes: 100_000_000 };
  await expect(createDownload('test')(url, limits)).rejects.toThrow('its response is compressed');
  await expect(createRemoteHttp('test').post(url, {})).rejects.toThrow('its response is compressed');
  expect(await createPostForm('test')(url, {})).toEqual({ status: 200, text: '' });
  const order = { url, headers: {}, body: new Uint8Array([1]), authorities: null, timeoutMs: 30_000 };
  const { status, body } = await createPost('test')({ ...order, signal: new AbortController().signal });
  expect({ status, bytes: body.length }).toEqual({ status: 200, bytes: 0 });
  expect(accepted).toEqual(['identity', 'identity', 'identity', 'identity', 'identity']);
});
