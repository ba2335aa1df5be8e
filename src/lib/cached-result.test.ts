import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { cacheResult } from './cached-result.ts';

function cached() {
  const clock = fakeClock();
  const asked: PromiseWithResolvers<string>[] = [];
  const read = cacheResult(clock, { freshMs: 10_000, waitMs: 500 }, () => {
    asked.push(Promise.withResolvers<string>());
    return asked.at(-1)?.promise ?? Promise.reject();
  });
  return { clock, asked, read };
}

test('a result is cached, and simultaneous callers share one query', async () => {
  const { clock, asked, read } = cached();
  const both = Promise.all([read(), read()]);
  asked[0]?.resolve('a');
  expect(await both).toEqual(['a', 'a']);
  clock.advance(9000);
  expect([await read(), asked.length]).toEqual(['a', 1]);
  clock.advance(1000);
  const next = read();
  asked[1]?.resolve('b');
  expect(await next).toBe('b');
});

test('a late result is not awaited, and is available the next time', async () => {
  const { clock, asked, read } = cached();
  const first = read();
  clock.advance(500);
  expect(await first).toBeNull();
  asked[0]?.resolve('a');
  await asked[0]?.promise;
  expect([await read(), asked.length]).toEqual(['a', 1]);
});

test('while a new result is late, the last one is returned', async () => {
  const { clock, asked, read } = cached();
  const first = read();
  asked[0]?.resolve('a');
  await first;
  clock.advance(10_000);
  const second = read();
  clock.advance(500);
  expect(await second).toBe('a');
});

test('a failed query is not repeated at once', async () => {
  const { clock, asked, read } = cached();
  const first = read();
  asked[0]?.reject(new Error('Windows did not answer'));
  expect([await first, await read(), asked.length]).toEqual([null, null, 1]);
  clock.advance(10_000);
  const second = read();
  asked[1]?.resolve('a');
  expect(await second).toBe('a');
});
