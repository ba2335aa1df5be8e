import { expect, test } from 'bun:test';
import type { UserDecision } from '../agent.ts';
import { onePromptAtATime } from './prompt-queue.ts';

const prompt = { title: 'x', text: 'y' };
const signal = new AbortController().signal;

test('a second prompt is refused until the first is closed, however it ended', async () => {
  const shown: PromiseWithResolvers<UserDecision>[] = [];
  const ask = onePromptAtATime(() => {
    const answer = Promise.withResolvers<UserDecision>();
    shown.push(answer);
    return answer.promise;
  });
  const first = ask(prompt, signal);
  await expect(ask(prompt, signal)).rejects.toMatchObject({ code: 'conflict' });
  shown[0]?.resolve('allowed');
  expect(await first).toBe('allowed');
  const second = ask(prompt, signal);
  shown[1]?.reject(new Error('no bus'));
  await expect(second).rejects.toThrow('no bus');
  void ask(prompt, signal);
  expect(shown).toHaveLength(3);
});
