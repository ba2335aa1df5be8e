import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import type { Answerer, AskOnScreen, UserDecision } from '../agent.ts';
import { createOpenPrompts, unreadMs } from './open-prompt.ts';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));
const phone: Answerer = { at: 'dashboard', who: '"phone"' };

function promptsWith(askOnScreen: AskOnScreen) {
  const clock = fakeClock();
  const lines: string[] = [];
  const log = { ...fakeContext().log, info: (line: string) => void lines.push(line) };
  return { clock, lines, prompts: createOpenPrompts(askOnScreen, { clock, log }) };
}

/** A screen on which the test answers prompts. */
function screen() {
  const asked: { title: string; signal: AbortSignal; answer(answer: UserDecision): void }[] = [];
  const parts = promptsWith((prompt, signal) => {
    const { promise, resolve } = Promise.withResolvers<UserDecision>();
    signal.addEventListener('abort', () => resolve('denied'));
    asked.push({ title: prompt.title, signal, answer: resolve });
    return promise;
  });
  return { asked, ...parts };
}

const noScreen = () => promptsWith(() => Promise.reject(new Error('no screen')));

test('a prompt is open until it is answered, and the next one has another number and another id', async () => {
  const { asked, prompts } = screen();
  let changes = 0;
  prompts.onChange(() => void changes++);
  const first = prompts.ask({ title: 'one', text: 'all of it' }, never);
  expect(prompts.current()).toMatchObject({ number: 1, title: 'one', text: 'all of it' });
  const id = prompts.current()?.id ?? '';
  expect(id).toMatch(/^[0-9a-f]{8}$/);
  asked[0]?.answer('allowed');
  expect(await first).toBe('allowed');
  expect([prompts.current(), changes]).toEqual([null, 2]);
  const second = prompts.ask({ title: 'two', text: '' }, never);
  expect(prompts.current()).toMatchObject({ number: 2, title: 'two' });
  expect(prompts.current()?.id).not.toBe(id);
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

test('an answer from elsewhere takes the prompt off the screen, and is attributed; a second one is refused', async () => {
  const { asked, prompts, clock, lines } = screen();
  const answerers: Answerer[] = [];
  const answer = prompts.ask({ title: 'one', text: '' }, never, (by) => void answerers.push(by));
  const id = prompts.current()?.id ?? '';
  clock.advance(unreadMs);
  prompts.answer(id, 'allowed', phone);
  expect(() => prompts.answer(id, 'denied', phone)).toThrow('is not open');
  expect(await answer).toBe('allowed');
  expect([asked[0]?.signal.aborted, answerers, prompts.current()]).toEqual([true, [phone], null]);
  expect(lines).toEqual(['prompts: "one" was allowed by "phone"']);
});

test('in the first second only a denial counts', async () => {
  for (const decision of ['allowed', 'less', 'denied'] as const) {
    const { prompts, clock } = noScreen();
    const answer = prompts.ask({ title: 'one', text: '' }, never);
    const id = prompts.current()?.id ?? '';
    clock.advance(unreadMs - 1);
    if (decision !== 'denied') {
      expect(() => prompts.answer(id, decision, phone)).toThrow('did not count');
      clock.advance(1);
    }
    prompts.answer(id, decision, phone);
    expect(await answer).toBe(decision);
  }
});

test('an answer counts for the prompt with its id only', async () => {
  const { asked, prompts, clock } = screen();
  const first = prompts.ask({ title: 'harmless', text: '' }, never);
  const id = prompts.current()?.id ?? '';
  asked[0]?.answer('denied');
  await first;
  expect(() => prompts.answer(id, 'allowed', phone)).toThrow('is not open');
  void prompts.ask({ title: 'harmful', text: '' }, never);
  clock.advance(unreadMs);
  expect(() => prompts.answer(id, 'allowed', phone)).toThrow('is not open');
  expect(prompts.current()?.title).toBe('harmful');
});

test('a prompt that cannot be shown stays open for an answer from elsewhere, until it is cancelled', async () => {
  const { prompts, clock, lines } = noScreen();
  const answer = prompts.ask({ title: 'one', text: '' }, never);
  await settle();
  expect(lines).toEqual([
    expect.stringMatching(
      /^prompts: "one" is not on the screen: no screen\. Answer it in the dashboard, or with ".*approve"$/,
    ),
  ]);
  clock.advance(unreadMs);
  prompts.answer(prompts.current()?.id ?? '', 'allowed', phone);
  expect(await answer).toBe('allowed');
  const limit = new AbortController();
  const given = prompts.ask({ title: 'two', text: '' }, limit.signal);
  await settle();
  expect(prompts.current()?.title).toBe('two');
  limit.abort();
  expect(await given).toBe('denied');
  expect(prompts.current()).toBeNull();
});

test('a prompt that was answered elsewhere counts as open until it is off the screen', async () => {
  const slow = Promise.withResolvers<UserDecision>();
  const { prompts, clock } = promptsWith(() => slow.promise);
  const answer = prompts.ask({ title: 'one', text: '' }, never);
  clock.advance(unreadMs);
  prompts.answer(prompts.current()?.id ?? '', 'denied', phone);
  await settle();
  expect(prompts.current()?.title).toBe('one');
  slow.resolve('denied');
  expect(await answer).toBe('denied');
  expect(prompts.current()).toBeNull();
});

test('an answer elsewhere does not replace one that was given on the screen and is still being taken down', async () => {
  const { promise: down, resolve: takenDown } = Promise.withResolvers<void>();
  const { clock, prompts } = promptsWith(async (_prompt, _signal, answered) => {
    answered();
    await down;
    return 'denied';
  });
  const given: Answerer[] = [];
  const answer = prompts.ask({ title: 'one', text: '' }, never, (by) => void given.push(by));
  clock.advance(unreadMs);
  expect(() => prompts.answer(prompts.current()?.id ?? '', 'allowed', phone)).toThrow('is not open');
  takenDown();
  expect([await answer, given]).toEqual(['denied', []]);
});
