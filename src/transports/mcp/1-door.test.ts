import { expect, test } from 'bun:test';
import { budgets } from '../../access/budgets.ts';
import type { Caller } from '../../core/caller.ts';
import { createLog } from '../../lib/log.ts';
import { defaultSettings } from '../../settings/settings.defaults.ts';
import { createMcp } from './1-door.ts';

test('an agent that sends without end is told to wait, and the kernel is not asked about it meanwhile', async () => {
  let now = 0;
  let asked = 0;
  const connection = () => ({
    address: '127.0.0.1',
    port: 50_000,
    forwarded: false,
    isOurUser: async () => {
      asked++;
      return true;
    },
  });
  const mcp = createMcp({
    service: {
      authorize: (secrets): Caller => ({
        tokenName: 'agent',
        tokenId: secrets[0] ?? '',
        scopes: new Set(),
        connection,
      }),
      admits: () => true,
      requireAdmitted: () => {},
      onTokensChange: () => () => {},
    },
    settings: () => defaultSettings,
    log: createLog(() => {}, 'ERROR'),
    monotonic: () => now,
    after: () => () => {},
    load: async () => ({
      answer: async () => new Response('answered'),
      toolsChanged: () => {},
      admit: () => {},
      clients: () => [],
      close: async () => {},
    }),
  });
  const send = async (token: string) => {
    const raw = new Request('http://127.0.0.1/api/mcp', { method: 'DELETE', headers: { 'X-API-Token': token } });
    const request = { method: 'DELETE', path: '/api/mcp', rawQuery: '', headers: raw.headers, connection, raw };
    return await mcp.answer({ ...request, unhurried: () => {} });
  };
  const { burst } = budgets.caller.messages;
  for (let count = 0; count < burst; count++) expect((await send('a')).status).toBe(200);
  const refused = await send('a');
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1']);
  expect(await refused.text()).toContain('Too many messages with this token');
  expect(asked).toBe(burst);
  // Others are served, until all of them together are too many.
  expect((await send('b')).status).toBe(200);
  for (const token of ['c', 'd']) for (let count = 0; count < burst; count++) await send(token);
  expect((await send('f')).status).toBe(429);
  expect(asked).toBe(budgets.all.messages.burst);
  now += 1000;
  expect((await send('a')).status).toBe(200);
});
