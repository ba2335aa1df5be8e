import { expect, test } from 'bun:test';
import type { UserDecision } from '../agent.ts';
import { createPromptQueue } from './prompt-queue.ts';

const prompt = { title: 'x', text: 'y' };
const pairing = { ...prompt, yields: true } as const;
const signal = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Prompts that stay on the screen until the test takes them down. */
function screen() {
  const shown: (PromiseWithResolvers<UserDecision> & { signal: AbortSignal })[] = [];
  const queue = createPromptQueue((_prompt, ended) => {
    const answer = Promise.withResolvers<UserDecision>();
    shown.push({ ...answer, signal: ended });
    return answer.promise;
  });
  return { shown, ...queue };
}

test('a second prompt is refused until the first is closed, however it ended', async () => {
  const { shown, ask } = screen();
  const first = ask(prompt, signal);
  await expect(ask(prompt, signal)).rejects.toMatchObject({ code: 'conflict' });
  await expect(ask(pairing, signal)).rejects.toMatchObject({ code: 'conflict' });
  await settled();
  shown[0]?.resolve('allowed');
  expect(await first).toBe('allowed');
  const second = ask(prompt, signal);
  await settled();
  shown[1]?.reject(new Error('no bus'));
  await expect(second).rejects.toThrow('no bus');
  void ask(prompt, signal);
  await settled();
  expect(shown).toHaveLength(3);
});

test('the prompt of an unauthenticated client is closed for one of an authenticated client, which is shown once it is gone', async () => {
  const { shown, ask } = screen();
  const paired = ask(pairing, signal).catch(({ code }) => code);
  await settled();
  const asked = ask(prompt, signal);
  await expect(ask(prompt, signal)).rejects.toMatchObject({ code: 'conflict' });
  expect(shown[0]?.signal.aborted).toBe(true);
  expect(shown).toHaveLength(1);
  shown[0]?.resolve('denied');
  expect(await paired).toBe('failed');
  await settled();
  shown[1]?.resolve('allowed');
  expect(await asked).toBe('allowed');
});

test('an answer that was given before the prompt was closed counts', async () => {
  const { shown, ask } = screen();
  const paired = ask(pairing, signal);
  await settled();
  void ask(prompt, signal);
  shown[0]?.resolve('allowed');
  expect(await paired).toBe('allowed');
});

test('input closes the prompt of an unauthenticated client, and none is opened until it ends', async () => {
  const { shown, ask, holdOff } = screen();
  const paired = ask(pairing, signal).catch(({ code }) => code);
  await settled();
  const held = holdOff();
  expect(shown[0]?.signal.aborted).toBe(true);
  shown[0]?.resolve('denied');
  const release = await held;
  expect(await paired).toBe('failed');
  expect(await ask(pairing, signal).catch(({ code }) => code)).toBe('conflict');
  release();
  void ask(pairing, signal);
  await settled();
  expect(shown).toHaveLength(2);
});
