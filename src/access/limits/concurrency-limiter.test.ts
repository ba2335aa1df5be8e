import { expect, test } from 'bun:test';
import { createQuota } from './concurrency-limiter.ts';

const never = () => new Promise<string>(() => {});
const quick = async () => 'done';

test('short work completes, however much work hangs', async () => {
  const { run } = createQuota({ inAll: 4, perAddress: 2 });
  const stuck = ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.2'].map((address) =>
    run(address, never).catch((error: unknown) => error),
  );
  for (let count = 0; count < 4; count += 1) expect(await run('10.0.0.3', quick)).toBe('done');
  expect(await run('10.0.0.1', quick)).toBe('done');
  expect(await stuck[0]).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
});

test('the longest-running work is evicted: of the same address if it has its share, otherwise of the address with most', async () => {
  const { run } = createQuota({ inAll: 3, perAddress: 2 });
  const ended: string[] = [];
  const begin = (name: string, address: string) => void run(address, never).catch(() => ended.push(name));
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  begin('a1', '10.0.0.1');
  begin('b1', '10.0.0.2');
  begin('b2', '10.0.0.2');
  await settle();
  expect(ended).toEqual([]);
  begin('c1', '10.0.0.3');
  await settle();
  expect(ended).toEqual(['b1']);
  begin('a2', '10.0.0.1');
  await settle();
  expect(ended).toEqual(['b1', 'a1']);
});

test('failing work rejects with its own error and frees its place', async () => {
  const { run } = createQuota({ inAll: 1, perAddress: 1 });
  await expect(run('10.0.0.1', () => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  expect(await run('10.0.0.1', quick)).toBe('done');
});

test('evicted work gets an aborted signal', async () => {
  const { run } = createQuota({ inAll: 1, perAddress: 1 });
  let isTold = false;
  const stuck = run('a token', (evicted) => {
    evicted.addEventListener('abort', () => {
      isTold = true;
    });
    return never();
  }).catch((error: unknown) => error);
  expect(await run('another token', quick)).toBe('done');
  expect(await stuck).toMatchObject({ code: 'rate_limited' });
  expect(isTold).toBe(true);
});
