import { expect, test } from 'bun:test';
import { createQuota } from './concurrency-limiter.ts';

const never = () => new Promise<string>(() => {});
const quick = async () => 'done';

test('what is soon done is done, however many have begun and do not end', async () => {
  const { run } = createQuota({ inAll: 4, perAddress: 2 });
  const stuck = ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.2'].map((address) =>
    run(address, never).catch((error: unknown) => error),
  );
  for (let count = 0; count < 4; count += 1) expect(await run('10.0.0.3', quick)).toBe('done');
  expect(await run('10.0.0.1', quick)).toBe('done');
  expect(await stuck[0]).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
});

test('what has taken longest makes room: of its own address if that has its share, else of the one that has most', async () => {
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

test('what fails by itself says so, and leaves its place', async () => {
  const { run } = createQuota({ inAll: 1, perAddress: 1 });
  await expect(run('10.0.0.1', () => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  expect(await run('10.0.0.1', quick)).toBe('done');
});

test('what has to make room is told, so that it keeps nothing', async () => {
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
