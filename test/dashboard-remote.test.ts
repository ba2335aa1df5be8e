import { afterAll, expect, spyOn, test } from 'bun:test';

const kept = new Map<string, string>();
const localStorage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};
// Without a secure context a browser holds no keys.
const browser = { localStorage, isSecureContext: false };
const given = Object.entries(browser).map(
  ([name]) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);
for (const [name, value] of Object.entries(browser))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
afterAll(() => {
  for (const [name, descriptor] of given)
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, descriptor);
});

test('signing out there ends the session on that machine', async () => {
  const { endRemote, readRemote, signInTo } = await import('../web/state/remote.ts');
  const asked: unknown[] = [];
  const answer = async (url: string, { method, headers, body }: RequestInit) => {
    asked.push([method, url, (headers as Record<string, string>)['X-API-Token'], JSON.parse(String(body))]);
    return Response.json({ token: 'short', session: { id: 'session-1', stay: true } });
  };
  const spy = spyOn(globalThis, 'fetch').mockImplementation(answer as typeof fetch);
  try {
    const origin = 'https://nas.example';
    await signInTo(origin, 'token');
    await endRemote(origin);
    expect(asked.slice(1)).toEqual([['DELETE', `${origin}/api/sessions`, 'short', { id: 'session-1' }]]);
    expect(await readRemote(origin, 'cpu')).toBeNull();
  } finally {
    spy.mockRestore();
  }
});
