import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeClock, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { createControlPause } from '../../core/control-pause.ts';
import { createOpenPrompts } from '../../core/prompts/open-prompt.ts';
import { createKeyboardQueue, createTypingQueue, mostMs } from './keyboard.queue.ts';

const never = new AbortController().signal;
const wanted = (takesMs = 0, tokenId = 'a', signal = never) => ({ takesMs, tokenId, signal });
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Work that runs until it is aborted. */
const endless = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('requests run one after the other, also after a failed one', async () => {
  const queue = createKeyboardQueue(fakeClock());
  const done: string[] = [];
  const work = (name: string) => async () => {
    done.push(`${name} begins`);
    await settled();
    done.push(`${name} ends`);
    if (name === 'b') throw new Error('b fails');
  };
  await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.take(wanted(), work(name))));
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('a request whose caller disconnects ends in the middle, and the next one begins', async () => {
  const queue = createKeyboardQueue(fakeClock());
  const caller = new AbortController();
  const first = queue.take(wanted(1000, 'a', caller.signal), endless).catch((reason) => reason);
  const second = queue.take(wanted(0, 'b'), async () => {});
  await settled();
  caller.abort(new Error('gone'));
  expect(String(await first)).toContain('gone');
  await second;
});

test('a queued request is rejected at once when its caller disconnects, and never begins', async () => {
  const queue = createKeyboardQueue(fakeClock());
  const caller = new AbortController();
  let begun = false;
  const first = queue.take(wanted(), endless).catch(() => {});
  const second = queue.take(wanted(0, 'b', caller.signal), async () => {
    begun = true;
  });
  const outcome = second.catch((reason) => reason);
  caller.abort(new Error('gone'));
  expect(String(await outcome)).toContain('gone');
  queue.cancel('enough');
  await first;
  await settled();
  expect(begun).toBe(false);
});

describe('typing time is limited', () => {
  test('delays of one token add up, and other tokens have their own limit', async () => {
    const queue = createKeyboardQueue(fakeClock());
    const first = queue.take(wanted(mostMs - 1000), endless).catch(() => {});
    await expect(queue.take(wanted(2000), endless)).rejects.toMatchObject({ code: 'rate_limited' });
    const other = queue.take(wanted(mostMs, 'b'), endless).catch(() => {});
    await expect(queue.take(wanted(mostMs, 'c'), endless)).rejects.toMatchObject({ code: 'rate_limited' });
    await queue.close();
    await Promise.all([first, other]);
  });

  test('a desktop that accepts keys too slowly ends the request', async () => {
    const clock = fakeClock();
    const queue = createKeyboardQueue(clock);
    const typing = queue.take(wanted(), endless).catch((reason) => reason);
    await settled();
    clock.advance(300_000);
    expect(await typing).toMatchObject({ code: 'failed', message: expect.stringContaining('5 minutes') });
  });

  test('everything can be cancelled, and later requests work', async () => {
    const queue = createKeyboardQueue(fakeClock());
    const typing = [queue.take(wanted(), endless), queue.take(wanted(0, 'b'), endless)];
    const outcomes = Promise.all(typing.map((one) => one.catch(String)));
    await settled();
    expect(queue.cancel('Typing was cancelled by main')).toBe(2);
    for (const outcome of await outcomes) expect(outcome).toContain('cancelled by main; not everything was typed');
    expect(queue.cancel('again')).toBe(0);
    await queue.take(wanted(), async () => {});
  });
});

test('pausing control stops running and queued requests, and none begins during the pause', async () => {
  const host = fakeHost({ storage: memoryStorage(), paths: { config: '/c', state: '/s', runtime: null } });
  const { context } = fakeActionContext(host);
  const controlPause = createControlPause(host, context.log);
  const queue = createTypingQueue({ ...context, controlPause });
  const typed = queue.take(wanted(1000), endless).catch(({ message }) => message);
  let begun = 0;
  const begin = async () => {
    begun += 1;
  };
  const waiting = queue.take(wanted(), begin).catch(({ message }) => message);
  await settled();
  controlPause.pause(null, 'phone');
  expect(await typed).toBe('Control was paused; not everything was typed');
  expect(await waiting).toBe('Control was paused; not everything was typed');
  await expect(queue.take(wanted(), begin)).rejects.toMatchObject({ code: 'conflict' });
  controlPause.resume();
  expect(begun).toBe(0);
  await queue.take(wanted(), begin);
  expect(begun).toBe(1);
  await queue.close();
});

test('a permission prompt stops typing, and nothing is typed until it is answered', async () => {
  const { context } = fakeActionContext(fakeHost());
  const answer = Promise.withResolvers<'denied'>();
  const prompts = createOpenPrompts(() => answer.promise, { clock: context.host.clock, log: context.log });
  const queue = createTypingQueue({ ...context, prompts });
  const typed = queue.take(wanted(1000), endless).catch(({ message }) => message);
  await settled();
  const asking = prompts.ask({ title: 'Allow?', text: '' }, never);
  expect(await typed).toContain('A permission prompt of Hostler is open');
  await expect(queue.take(wanted(), async () => {})).rejects.toMatchObject({ code: 'conflict' });
  answer.resolve('denied');
  await asking;
  await queue.take(wanted(), async () => {});
  await queue.close();
});

test('the prompt of an unauthenticated client neither stops nor delays typing', async () => {
  const { context } = fakeActionContext(fakeHost());
  const prompts = createOpenPrompts(
    (_prompt, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('denied'))),
    { clock: context.host.clock, log: context.log },
  );
  const queue = createTypingQueue({ ...context, prompts });
  const pair = () => prompts.ask({ title: 'Pair?', text: '', yields: true }, never).catch(({ code }) => code);
  const paired = pair();
  let typed = '';
  await queue.take(wanted(), async (signal) => {
    expect(prompts.current()).toBeNull();
    expect(await pair()).toBe('conflict');
    expect(signal.aborted).toBe(false);
    typed = 'all';
  });
  expect(typed).toBe('all');
  expect(await paired).toBe('failed');
  await queue.close();
});
