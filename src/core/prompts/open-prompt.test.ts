import { expect, test } from 'bun:test';
import type { UserDecision } from '../agent.ts';
import { createOpenPrompts } from './open-prompt.ts';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A screen on which the test answers prompts. */
function screen() {
  const asked: { title: string; answer(answer: UserDecision): void }[] = [];
  const prompts = createOpenPrompts((prompt, signal) => {
    const { promise, resolve } = Promise.withResolvers<UserDecision>();
    signal.addEventListener('abort', () => resolve('denied'));
    asked.push({ title: prompt.title, answer: resolve });
    return promise;
  });
  return { asked, prompts };
}

test('a prompt is open until it is answered, and the next one has another number', async () => {
  const { asked, prompts } = screen();
  let changes = 0;
  prompts.onChange(() => void changes++);
  const first = prompts.ask({ title: 'one', text: '' }, never);
  expect(prompts.current()).toEqual({ number: 1, title: 'one' });
  asked[0]?.answer('allowed');
  expect(await first).toBe('allowed');
  expect([prompts.current(), changes]).toEqual([null, 2]);
  const second = prompts.ask({ title: 'two', text: '' }, never);
  expect(prompts.current()).toEqual({ number: 2, title: 'two' });
  asked[1]?.answer('denied');
  expect(await second).toBe('denied');
});

test('a prompt can be shown again any number of times, and only by its own number', async () => {
  const { asked, prompts } = screen();
  const answer = prompts.ask({ title: 'one', text: '' }, never);
  prompts.showAgain(9);
  await settle();
  expect(asked).toHaveLength(1);
  for (let times = 2; times < 5; times++) {
    prompts.showAgain(1);
    await settle();
    expect(asked).toHaveLength(times);
    expect(prompts.current()?.number).toBe(1);
  }
  asked[3]?.answer('less');
  expect(await answer).toBe('less');
});

test('the first answer to a prompt counts; a cancelled prompt is closed for good', async () => {
  const { asked, prompts } = screen();
  const answer = prompts.ask({ title: 'one', text: '' }, never);
  asked[0]?.answer('allowed');
  prompts.showAgain(1);
  expect(await answer).toBe('allowed');
  const limit = new AbortController();
  const given = prompts.ask({ title: 'two', text: '' }, limit.signal);
  prompts.showAgain(2);
  limit.abort();
  expect(await given).toBe('denied');
  await settle();
  expect([asked.length, prompts.current()]).toEqual([2, null]);
});

test('a prompt that cannot be shown is closed', async () => {
  const prompts = createOpenPrompts(() => Promise.reject(new Error('no screen')));
  await expect(prompts.ask({ title: 'one', text: '' }, never)).rejects.toThrow('no screen');
  expect(prompts.current()).toBeNull();
});
