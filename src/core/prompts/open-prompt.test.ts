import { expect, test } from 'bun:test';
import type { UserAnswer } from '../agent.ts';
import { createOpenPrompts } from './open-prompt.ts';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A screen on which the test answers prompts. */
function screen() {
  const asked: { title: string; answer(answer: UserAnswer): void }[] = [];
  const questions = createOpenPrompts((question, signal) => {
    const { promise, resolve } = Promise.withResolvers<UserAnswer>();
    signal.addEventListener('abort', () => resolve('denied'));
    asked.push({ title: question.title, answer: resolve });
    return promise;
  });
  return { asked, questions };
}

test('a prompt is open until it is answered, and the next one has another number', async () => {
  const { asked, questions } = screen();
  let changes = 0;
  questions.onChange(() => void changes++);
  const first = questions.ask({ title: 'one', text: '' }, never);
  expect(questions.current()).toEqual({ number: 1, title: 'one' });
  asked[0]?.answer('allowed');
  expect(await first).toBe('allowed');
  expect([questions.current(), changes]).toEqual([null, 2]);
  const second = questions.ask({ title: 'two', text: '' }, never);
  expect(questions.current()).toEqual({ number: 2, title: 'two' });
  asked[1]?.answer('denied');
  expect(await second).toBe('denied');
});

test('a prompt can be shown again any number of times, and only by its own number', async () => {
  const { asked, questions } = screen();
  const answer = questions.ask({ title: 'one', text: '' }, never);
  questions.showAgain(9);
  await settle();
  expect(asked).toHaveLength(1);
  for (let times = 2; times < 5; times++) {
    questions.showAgain(1);
    await settle();
    expect(asked).toHaveLength(times);
    expect(questions.current()?.number).toBe(1);
  }
  asked[3]?.answer('less');
  expect(await answer).toBe('less');
});

test('the first answer counts; giving up is final', async () => {
  const { asked, questions } = screen();
  const answer = questions.ask({ title: 'one', text: '' }, never);
  asked[0]?.answer('allowed');
  questions.showAgain(1);
  expect(await answer).toBe('allowed');
  const limit = new AbortController();
  const given = questions.ask({ title: 'two', text: '' }, limit.signal);
  questions.showAgain(2);
  limit.abort();
  expect(await given).toBe('denied');
  await settle();
  expect([asked.length, questions.current()]).toEqual([2, null]);
});

test('a prompt that cannot be shown is closed', async () => {
  const questions = createOpenPrompts(() => Promise.reject(new Error('no screen')));
  await expect(questions.ask({ title: 'one', text: '' }, never)).rejects.toThrow('no screen');
  expect(questions.current()).toBeNull();
});
