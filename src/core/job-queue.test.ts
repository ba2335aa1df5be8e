import { expect, test } from 'bun:test';
import { createJobQueue } from './job-queue.ts';

const limits = { atOnce: 1, inAll: 4, perCaller: 2, full: 'Too much of it; try again' };

function createTest() {
  const turns = createJobQueue<string>(limits);
  const begun: { key: string; signal: AbortSignal; end(): void }[] = [];
  const ask = (key: string, tokenId = 'a', gone = new AbortController()) => {
    const answer = turns.run(key, { tokenId, signal: gone.signal }, (signal) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      begun.push({ key, signal, end: () => resolve(`answer to ${key}`) });
      return promise;
    });
    answer.catch(() => {});
    return { answer, leave: () => gone.abort(new Error('gone')) };
  };
  return { ask, begun, asked: () => begun.map(({ key }) => key) };
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

test('equal jobs share one result, and count once', async () => {
  const { ask, begun } = createTest();
  const all = Array.from({ length: 100 }, (_, index) => ask('x', `token ${index % 3}`));
  await settle();
  expect(begun.length).toBe(1);
  begun[0]?.end();
  expect(new Set(await Promise.all(all.map(({ answer }) => answer)))).toEqual(new Set(['answer to x']));
  void ask('x');
  await settle();
  expect(begun.length).toBe(2);
});

test('the rest run one after the other, limited for each caller and in total', async () => {
  const { ask, begun, asked } = createTest();
  void ask('1', 'a');
  void ask('2', 'a');
  await expect(ask('3', 'a').answer).rejects.toThrow(limits.full);
  void ask('4', 'b');
  void ask('5', 'b');
  await expect(ask('6', 'c').answer).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  await settle();
  expect(asked()).toEqual(['1']);
  begun[0]?.end();
  await settle();
  expect(asked()).toEqual(['1', '2']);
});

test('a job without waiting callers is stopped, or never started', async () => {
  const { ask, begun, asked } = createTest();
  const [one, same, waiting] = [ask('1'), ask('1'), ask('2')];
  await settle();
  one.leave();
  expect(begun[0]?.signal.aborted).toBe(false);
  await expect(one.answer).rejects.toThrow('gone');
  same.leave();
  expect(begun[0]?.signal.aborted).toBe(true);
  waiting.leave();
  // An equal job is a new one, although the first has not noticed its cancellation yet.
  const again = ask('1');
  begun[0]?.end();
  await settle();
  expect(asked()).toEqual(['1', '1']);
  begun[1]?.end();
  expect(await again.answer).toBe('answer to 1');
});
