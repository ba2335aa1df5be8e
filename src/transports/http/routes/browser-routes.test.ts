import { expect, test } from 'bun:test';
import { allScopes } from '../../../features/index.ts';
import { browserRoutes } from './browser-routes.ts';

test('the first answer to each session after the start empties the cache of its browser', async () => {
  const browsers = { resume: async ({ id }: { id: string }) => ({ token: 'x', session: { id } }) };
  const routes = browserRoutes(
    { browsers, scopes: allScopes } as never,
    () => Promise.reject() as never,
    () => null,
  );
  const resume = async (id: string) => {
    const body = JSON.stringify({ id, challenge: 'c'.repeat(43), signature: 'A'.repeat(86) });
    const raw = new Request('http://127.0.0.1/api/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
      body,
    });
    const answer = await routes['/api/sessions']?.POST?.({ raw, headers: raw.headers, connection: {} } as never);
    return answer?.headers.get('clear-site-data') ?? null;
  };
  expect([
    await resume('browser-0000000000000001'),
    await resume('browser-0000000000000001'),
    await resume('browser-0000000000000002'),
  ]).toEqual(['"cache"', null, '"cache"']);
});
