import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeClock, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { createControlPause } from '../../core/control-pause.ts';
import { createOpenQuestions } from '../../core/prompts/open-prompt.ts';
import { createKeyboardTurns, createServiceTurns, mostMs } from './keyboard.queue.ts';

const never = new AbortController().signal;
const wanted = (takesMs = 0, tokenId = 'a', signal = never) => ({ takesMs, tokenId, signal });
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Work that goes on until it is told to stop. */
const endless = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('one after the other, also after one that failed', async () => {
  const turns = createKeyboardTurns(fakeClock());
  const done: string[] = [];
  const work = (name: string) => async () => {
    done.push(`${name} begins`);
    await settled();
    done.push(`${name} ends`);
    if (name === 'b') throw new Error('b fails');
  };
  await Promise.allSettled(['a', 'b', 'c'].map((name) => turns.take(wanted(), work(name))));
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('one whose caller is gone ends in the middle, and the next one begins', async () => {
  const turns = createKeyboardTurns(fakeClock());
  const caller = new AbortController();
  const first = turns.take(wanted(1000, 'a', caller.signal), endless).catch((reason) => reason);
  const second = turns.take(wanted(0, 'b'), async () => {});
  await settled();
  caller.abort(new Error('gone'));
  expect(String(await first)).toContain('gone');
  await second;
});

test('one that waits is told at once when its caller has gone, and never begins', async () => {
  const turns = createKeyboardTurns(fakeClock());
  const caller = new AbortController();
  let begun = false;
  const first = turns.take(wanted(), endless).catch(() => {});
  const second = turns.take(wanted(0, 'b', caller.signal), async () => {
    begun = true;
  });
  const outcome = second.catch((reason) => reason);
  caller.abort(new Error('gone'));
  expect(String(await outcome)).toContain('gone');
  turns.cancel('enough');
  await first;
  await settled();
  expect(begun).toBe(false);
});

describe('nobody keeps the keyboard for long', () => {
  test('delays of one token add up, those of others have room', async () => {
    const turns = createKeyboardTurns(fakeClock());
    const first = turns.take(wanted(mostMs - 1000), endless).catch(() => {});
    await expect(turns.take(wanted(2000), endless)).rejects.toMatchObject({ code: 'rate_limited' });
    const other = turns.take(wanted(mostMs, 'b'), endless).catch(() => {});
    await expect(turns.take(wanted(mostMs, 'c'), endless)).rejects.toMatchObject({ code: 'rate_limited' });
    await turns.close();
    await Promise.all([first, other]);
  });

  test('a desktop that takes the keys too slowly is given up', async () => {
    const clock = fakeClock();
    const turns = createKeyboardTurns(clock);
    const typing = turns.take(wanted(), endless).catch((reason) => reason);
    await settled();
    clock.advance(300_000);
    expect(await typing).toMatchObject({ code: 'failed', message: expect.stringContaining('5 minutes') });
  });

  test('everything can be cancelled, and typing goes on as before afterwards', async () => {
    const turns = createKeyboardTurns(fakeClock());
    const typing = [turns.take(wanted(), endless), turns.take(wanted(0, 'b'), endless)];
    const outcomes = Promise.all(typing.map((one) => one.catch(String)));
    await settled();
    expect(turns.cancel('Typing was cancelled by main')).toBe(2);
    for (const outcome of await outcomes) expect(outcome).toContain('cancelled by main; not everything was typed');
    expect(turns.cancel('again')).toBe(0);
    await turns.take(wanted(), async () => {});
  });
});

test('pausing control stops what is being typed and what waits, and nothing begins in the pause', async () => {
  const host = fakeHost({ storage: memoryStorage(), paths: { config: '/c', state: '/s', runtime: null } });
  const { context } = fakeActionContext(host);
  const controlPause = createControlPause(host, context.log);
  const turns = createServiceTurns({ ...context, controlPause });
  const typed = turns.take(wanted(1000), endless).catch(({ message }) => message);
  let begun = 0;
  const begin = async () => {
    begun += 1;
  };
  const waiting = turns.take(wanted(), begin).catch(({ message }) => message);
  await settled();
  controlPause.pause(null, 'phone');
  expect(await typed).toBe('Control was paused; not everything was typed');
  expect(await waiting).toBe('Control was paused; not everything was typed');
  await expect(turns.take(wanted(), begin)).rejects.toMatchObject({ code: 'conflict' });
  controlPause.resume();
  expect(begun).toBe(0);
  await turns.take(wanted(), begin);
  expect(begun).toBe(1);
  await turns.close();
});

test('a question of ours stops what is being typed, and until it is answered nothing is typed into it', async () => {
  const { context } = fakeActionContext(fakeHost());
  const answer = Promise.withResolvers<'denied'>();
  const questions = createOpenQuestions(() => answer.promise);
  const turns = createServiceTurns({ ...context, questions });
  const typed = turns.take(wanted(1000), endless).catch(({ message }) => message);
  await settled();
  const asking = questions.ask({ title: 'Allow?', text: '' }, never);
  expect(await typed).toContain('Hostler has a question for the user');
  await expect(turns.take(wanted(), async () => {})).rejects.toMatchObject({ code: 'conflict' });
  answer.resolve('denied');
  await asking;
  await turns.take(wanted(), async () => {});
  await turns.close();
});
