import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { keptAnswer } from './cached-answer.ts';

function kept() {
  const clock = fakeClock();
  const asked: PromiseWithResolvers<string>[] = [];
  const read = keptAnswer(clock, { freshMs: 10_000, waitMs: 500 }, () => {
    asked.push(Promise.withResolvers<string>());
    return asked.at(-1)?.promise ?? Promise.reject();
  });
  return { clock, asked, read };
}

test('an answer holds for a while, and is asked for once by all', async () => {
  const { clock, asked, read } = kept();
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

test('nobody waits long for one that is late, and it is there the next time', async () => {
  const { clock, asked, read } = kept();
  const first = read();
  clock.advance(500);
  expect(await first).toBeNull();
  asked[0]?.resolve('a');
  await asked[0]?.promise;
  expect([await read(), asked.length]).toEqual(['a', 1]);
});

test('while a new answer is late, the last one holds', async () => {
  const { clock, asked, read } = kept();
  const first = read();
  asked[0]?.resolve('a');
  await first;
  clock.advance(10_000);
  const second = read();
  clock.advance(500);
  expect(await second).toBe('a');
});

test('what could not be asked is not asked again at once', async () => {
  const { clock, asked, read } = kept();
  const first = read();
  asked[0]?.reject(new Error('Windows did not answer'));
  expect([await first, await read(), asked.length]).toEqual([null, null, 1]);
  clock.advance(10_000);
  const second = read();
  asked[1]?.resolve('a');
  expect(await second).toBe('a');
});
