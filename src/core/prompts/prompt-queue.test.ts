import { expect, test } from 'bun:test';
import type { UserAnswer } from '../agent.ts';
import { onePromptAtATime } from './prompt-queue.ts';

const question = { title: 'x', text: 'y' };
const signal = new AbortController().signal;

test('a second prompt is refused until the first is closed, however it ended', async () => {
  const shown: PromiseWithResolvers<UserAnswer>[] = [];
  const ask = onePromptAtATime(() => {
    const answer = Promise.withResolvers<UserAnswer>();
    shown.push(answer);
    return answer.promise;
  });
  const first = ask(question, signal);
  await expect(ask(question, signal)).rejects.toMatchObject({ code: 'conflict' });
  shown[0]?.resolve('allowed');
  expect(await first).toBe('allowed');
  const second = ask(question, signal);
  shown[1]?.reject(new Error('no bus'));
  await expect(second).rejects.toThrow('no bus');
  void ask(question, signal);
  expect(shown).toHaveLength(3);
});
