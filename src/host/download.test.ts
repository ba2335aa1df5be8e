import { afterAll, expect, test } from 'bun:test';
import { createDownload } from './download.ts';

const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });

const answers: Record<string, () => Response> = {
  '/right': () => new Response('text'),
  '/moved': () => redirect('/right'),
  '/file': () => redirect('file:///etc/passwd'),
  '/loop': () => redirect('/loop'),
  '/missing': () => new Response('no', { status: 404 }),
  '/large': () => new Response('x'.repeat(1001)),
};
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => answers[new URL(url).pathname]?.() ?? new Response(null, { status: 500 }),
});
afterAll(() => server.stop(true));

const download = (path: string) =>
  createDownload('test')(`http://127.0.0.1:${server.port}${path}`, { timeoutMs: 60_000, maxBytes: 1000 });

test('a redirect to a web address is followed', async () => {
  expect(await download('/moved')).toBe('text');
});

test.each([
  ['/file', 'it redirects to file:///etc/passwd, which is not a web address'],
  ['/loop', 'redirects more than 5 times'],
  ['/missing', 'it answered 404'],
  ['/large', 'its response is larger than 1000 bytes'],
])('the download of %s is refused', async (path, sentence) => {
  await expect(download(path)).rejects.toThrow(sentence);
});
