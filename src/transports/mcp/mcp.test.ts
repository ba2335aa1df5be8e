import { expect, test } from 'bun:test';
import { budgets } from '../../access/limits/budgets.ts';
import type { Scope } from '../../access/scopes.ts';
import type { Caller } from '../../core/caller.ts';
import { defaultSettings } from '../../features/index.ts';
import { createLog } from '../../lib/log.ts';
import { toHttpRequest } from '../http/request.ts';
import { createMcp } from './mcp.ts';

function createTest({
  monotonic = (): number => 0,
  isOurUser = async () => true,
  caller: given = {} as Partial<Caller>,
  settings = defaultSettings,
} = {}) {
  const connection = () => ({ address: '127.0.0.1', port: 50_000, forwarded: false, isOurUser });
  const mcp = createMcp({
    service: {
      authorize: ([secret = '']): Caller => ({
        tokenName: 'agent',
        tokenId: secret,
        scopes: new Set(),
        connection,
        ...given,
      }),
      admits: () => true,
      requireAdmitted: () => {},
      onTokensChange: () => () => {},
    },
    settings: () => settings,
    log: createLog(() => {}, 'ERROR'),
    clock: { monotonic, after: () => () => {} },
    load: async () => ({
      answer: async () => new Response('answered'),
      missingScope: async () => 'power' as const,
      toolsChanged: () => {},
      admit: () => {},
      clients: () => [],
      close: async () => {},
    }),
  });
  return (token: string, init: RequestInit = { method: 'DELETE' }, unhurried = () => {}) => {
    const raw = new Request('http://127.0.0.1/api/mcp', {
      ...init,
      headers: { ...init.headers, 'X-API-Token': token },
    });
    return mcp.answer(toHttpRequest(raw, { end: connection, isOurUser, isEncrypted: false, unhurried }));
  };
}

test('an agent over its rate limit is refused without a peer lookup in the kernel', async () => {
  let now = 0;
  let lookups = 0;
  const send = createTest({
    monotonic: () => now,
    isOurUser: async () => {
      lookups++;
      return true;
    },
  });
  const { burst } = budgets.caller.messages;
  for (let count = 0; count < burst; count++) expect((await send('a')).status).toBe(200);
  const refused = await send('a');
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1']);
  expect(await refused.text()).toContain('Too many messages with this token');
  expect(lookups).toBe(burst);
  // Others are served, until the total limit is reached.
  expect((await send('b')).status).toBe(200);
  for (const token of ['c', 'd']) for (let count = 0; count < burst; count++) await send(token);
  expect((await send('f')).status).toBe(429);
  expect(lookups).toBe(budgets.all.messages.burst);
  now += 1000;
  expect((await send('a')).status).toBe(200);
});

test('batches that arrive together use up no more than the share of their token', async () => {
  const { burst } = budgets.caller.messages;
  const send = createTest();
  // Each passes the first check before the body of another is read; a long one is refused by the endpoint.
  const bodies = [...Array.from({ length: 200 }, () => 20), 4999].map((length) =>
    JSON.stringify(Array.from({ length }, () => 0)),
  );
  const answers = bodies.map((body) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
    return send('a', { method: 'POST', headers, body });
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(burst / 20);
  expect(statuses).toContain(429);
  for (let count = 0; count < budgets.all.messages.burst - burst; count++) expect((await send('b')).status).toBe(200);
});

test('an incomplete request does not get the time limit of its response', async () => {
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const text = new TextEncoder().encode('{}');
  let isUnhurried = false;
  const answer = createTest()(
    'a',
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      body: body.readable,
    },
    () => {
      isUnhurried = true;
    },
  );
  await writer.write(text.subarray(0, 1));
  expect(isUnhurried).toBe(false);
  await writer.write(text.subarray(1));
  await writer.close();
  expect((await answer).status).toBe(200);
  expect(isUnhurried).toBe(true);
});

const call = { method: 'POST', headers: { 'Content-Type': 'application/json', 'Content-Length': '2' }, body: '{}' };
const ofOauth: Partial<Caller> = { expiresAt: 1, scopes: new Set<Scope>(['read', 'media']) };

test('a client of OAuth learns which scopes it has to ask for', async () => {
  const refused = await createTest({ caller: ofOauth })('a', {
    ...call,
    headers: { ...call.headers, Host: 'desk:9170' },
  });
  expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([
    403,
    'Bearer realm="hostler", resource_metadata="http://desk:9170/.well-known/oauth-protected-resource/api/mcp", error="insufficient_scope", scope="read media power"',
  ]);
  expect(await refused.text()).toContain('lacks the scope \\"power\\"');
});

test.each([
  ['a static token', { caller: {} }],
  ['no OAuth', { caller: ofOauth, settings: { ...defaultSettings, mcp: { ...defaultSettings.mcp, oauth: false } } }],
  [
    'no pairing',
    { caller: ofOauth, settings: { ...defaultSettings, pairing: { ...defaultSettings.pairing, enabled: false } } },
  ],
])('a missing scope is left to the call where it cannot be asked for: %s', async (_why, given) => {
  expect(await (await createTest(given)('a', call)).text()).toBe('answered');
});
