import { expect, test } from 'bun:test';
import { createPost } from './post.ts';

test('a redirect is not followed, wherever it leads, and is what the caller gets', async () => {
  let reached = 0;
  using inner = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      reached += 1;
      return new Response('inner');
    },
  });
  for (const status of [301, 302, 303, 307, 308]) {
    using outer = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('', { status, headers: { location: `http://127.0.0.1:${inner.port}/admin` } }),
    });
    const answer = await createPost('test')({
      url: `http://127.0.0.1:${outer.port}/`,
      headers: {},
      body: new Uint8Array([1]),
      authorities: null,
      timeoutMs: 30_000,
      signal: new AbortController().signal,
    });
    expect(answer.status).toBe(status);
  }
  expect(reached).toBe(0);
});
