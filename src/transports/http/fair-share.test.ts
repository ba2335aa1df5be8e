import { describe, expect, test } from 'bun:test';
import { createFairShare } from './fair-share.ts';

const limits = { free: 4, ms: 8, waiting: 3, waitingInAll: 5 };

/** `ask` is one request that takes a millisecond; `over` ends the turn. */
function createTest() {
  let now = 0;
  let due: (() => void)[] = [];
  const done: string[] = [];
  const share = createFairShare(limits, {
    monotonic: () => now,
    after(_ms, callback) {
      due.push(callback);
      return () => {};
    },
  });
  return {
    share,
    done,
    ask(token: string, connection: string, ms = 1): 'at once' | 'later' | 'refused' {
      const work = () => {
        now += ms;
        done.push(connection);
        return connection;
      };
      const answer = share.take({ tokenId: token, connection }, work, work);
      return answer === null ? 'refused' : answer instanceof Promise ? 'later' : 'at once';
    },
    over() {
      const callbacks = due;
      due = [];
      for (const callback of callbacks) callback();
    },
  };
}

describe('the requests of one token, in one turn', () => {
  test('a connection that pipelines is refused after a few milliseconds, and answered again in the next turn', () => {
    const { ask, over } = createTest();
    const outcomes = Array.from({ length: 1000 }, () => ask('a', 'first'));
    expect(outcomes.filter((outcome) => outcome === 'at once').length).toBe(limits.ms + 1);
    expect(outcomes.at(-1)).toBe('refused');
    expect(outcomes).not.toContain('later');
    over();
    expect(ask('a', 'first')).toBe('at once');
  });

  test('another token still has its share', () => {
    const { ask } = createTest();
    for (let count = 0; count < 1000; count++) ask('a', 'first');
    for (let count = 0; count < limits.free; count++) expect(ask('b', 'second')).toBe('at once');
    expect(ask('b', 'second')).toBe('refused');
  });

  test('at least `free` requests are answered on a slow machine', () => {
    const { ask } = createTest();
    for (let count = 0; count < limits.free; count++) expect(ask('a', 'first', 1000)).toBe('at once');
    expect(ask('a', 'first', 1000)).toBe('refused');
  });

  test('other connections are answered in later turns, in slices and in turn with other tokens, and the rest is refused', () => {
    const { ask, over, done } = createTest();
    for (const token of ['a', 'b']) for (let count = 0; count < 100; count++) ask(token, token);
    // The queue has time of its own in the first turn.
    expect(ask('a', 'slow', limits.ms)).toBe('later');
    done.length = 0;
    const outcomes = ['a1', 'a2', 'a3', 'a4'].map((connection) => ask('a', connection, limits.ms / 2));
    expect(outcomes).toEqual(['later', 'later', 'later', 'refused']);
    const ofOther = ['b1', 'b2', 'b3'].map((connection) => ask('b', connection, limits.ms / 2));
    expect(ofOther).toEqual(['later', 'later', 'refused']);
    expect(done).toEqual([]);
    over();
    expect(done).toEqual(['a1', 'b1']);
    over();
    over();
    expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });
});

test('a deferred answer that throws rejects, and the queue continues', async () => {
  const { ask, over, share } = createTest();
  for (let count = 0; count < 100; count++) ask('a', 'a');
  ask('a', 'slow', limits.ms);
  const later = (connection: string, answer: () => string) => share.take({ tokenId: 'a', connection }, answer, answer);
  const outcomes = Promise.allSettled([
    later('1', () => {
      throw new Error('failed');
    }),
    later('2', () => 'answer'),
  ]);
  over();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
