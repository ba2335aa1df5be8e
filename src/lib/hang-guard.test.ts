import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createHangGuard, hangLimitMs, type Lane } from './hang-guard.ts';

/** Lanes whose requests are answered by the test. */
function guardWith(plain: number, spare = 0) {
  const clock = fakeClock();
  const open = new Map<string, { lane: number; answer(value: number): void; fail(code: string): void }>();
  let asked = 0;
  const lane = (index: number): Lane<number> => ({
    spare: index >= plain,
    ask: (key) =>
      new Promise((resolve, reject) => {
        asked += 1;
        const settle = (conclude: () => void) => {
          open.delete(key);
          conclude();
        };
        open.set(key, {
          lane: index,
          answer: (value) => settle(() => resolve(value)),
          fail: (code) => settle(() => reject(Object.assign(new Error(code), { code }))),
        });
      }),
  });
  const guard = createHangGuard(
    clock,
    Array.from({ length: plain + spare }, (_, index) => lane(index)),
  );
  return {
    clock,
    guard,
    open,
    asked: () => asked,
    lanes: () => [...open].map(([key, { lane }]) => `${key}:${lane}`),
  };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a request that may never be answered', () => {
  test('returns a result or a failure in time', async () => {
    const { guard, open } = guardWith(2);
    const good = guard.ask('a');
    const bad = guard.ask('b');
    open.get('a')?.answer(7);
    open.get('b')?.fail('EIO');
    expect(await good).toEqual({ kind: 'value', value: 7 });
    expect(await bad).toEqual({ kind: 'failed', code: 'EIO' });
  });

  test('a silent request times out, and is not repeated while it is open', async () => {
    const { guard, clock, asked } = guardWith(1);
    const first = guard.ask('dead');
    clock.advance(hangLimitMs);
    expect(await first).toEqual({ kind: 'silent', ms: hangLimitMs });
    clock.advance(60_000);
    expect(await guard.ask('dead')).toEqual({ kind: 'silent', ms: hangLimitMs + 60_000 });
    expect(asked()).toBe(1);
  });

  test('simultaneous calls share one request', async () => {
    const { guard, open, asked } = guardWith(1);
    const both = Promise.all([guard.ask('a'), guard.ask('a')]);
    open.get('a')?.answer(1);
    expect(await both).toEqual([
      { kind: 'value', value: 1 },
      { kind: 'value', value: 1 },
    ]);
    expect(asked()).toBe(1);
  });

  test('a late result is announced and returned by the next call, which starts a new request at once', async () => {
    const { guard, clock, open, asked } = guardWith(1);
    let late = 0;
    const stop = guard.onLate(() => {
      late += 1;
    });
    const first = guard.ask('slow');
    clock.advance(hangLimitMs);
    await first;
    open.get('slow')?.answer(5);
    await settled();
    expect(late).toBe(1);
    expect(await guard.ask('slow')).toEqual({ kind: 'value', value: 5 });
    expect(asked()).toBe(2);
    open.get('slow')?.answer(6);
    await settled();
    // No caller left without an answer this time.
    expect(late).toBe(1);
    expect(await guard.ask('slow')).toEqual({ kind: 'value', value: 6 });
    stop();
  });

  test('a late result expires after a minute', async () => {
    const { guard, clock, open } = guardWith(1);
    const first = guard.ask('slow');
    clock.advance(hangLimitMs);
    await first;
    open.get('slow')?.answer(5);
    await settled();
    clock.advance(61_000);
    const next = guard.ask('slow');
    open.get('slow')?.answer(9);
    expect(await next).toEqual({ kind: 'value', value: 9 });
  });
});

describe('lanes', () => {
  test('requests in one lane run one after another', async () => {
    const { guard, open } = guardWith(1);
    const answers = Promise.all(['a', 'b', 'c'].map((key) => guard.ask(key)));
    for (const [value, key] of ['a', 'b', 'c'].entries()) {
      expect([...open.keys()]).toEqual([key]);
      open.get(key)?.answer(value);
      await settled();
    }
    expect(await answers).toEqual([0, 1, 2].map((value) => ({ kind: 'value', value })));
  });

  test('a silent request blocks only its lane, and callers without a free lane learn at once which requests block them', async () => {
    const { guard, clock, open, asked } = guardWith(1);
    const first = Promise.all([guard.ask('dead'), guard.ask('alive')]);
    clock.advance(hangLimitMs);
    expect(await first).toEqual([
      { kind: 'silent', ms: hangLimitMs },
      { kind: 'behind', others: ['dead'] },
    ]);
    expect(await guard.ask('alive')).toEqual({ kind: 'behind', others: ['dead'] });
    expect(asked()).toBe(1);
    open.get('dead')?.answer(1);
    await settled();
    const again = guard.ask('alive');
    open.get('alive')?.answer(2);
    expect(await again).toEqual({ kind: 'value', value: 2 });
  });

  test('a spare lane is used only when the others are blocked for a while, and still answers in time', async () => {
    const { guard, clock, open, lanes } = guardWith(1, 2);
    const answers = Promise.all(['dead', 'worse', 'alive', 'too'].map((key) => guard.ask(key)));
    expect(lanes()).toEqual(['dead:0']);
    clock.advance(249);
    expect(lanes()).toEqual(['dead:0']);
    clock.advance(1);
    expect(lanes()).toEqual(['dead:0', 'worse:1']);
    clock.advance(250);
    expect(lanes()).toEqual(['dead:0', 'worse:1', 'alive:2']);
    open.get('alive')?.answer(3);
    await settled();
    expect(lanes()).toEqual(['dead:0', 'worse:1', 'too:2']);
    open.get('too')?.answer(4);
    await settled();
    clock.advance(hangLimitMs);
    expect((await answers).map(({ kind }) => kind)).toEqual(['silent', 'silent', 'value', 'value']);
    const next = guard.ask('alive');
    expect(lanes()).toEqual(['dead:0', 'worse:1', 'alive:2']);
    open.get('alive')?.answer(5);
    expect(await next).toEqual({ kind: 'value', value: 5 });
  });

  test('no timer is left after all results', async () => {
    const { guard, clock, open } = guardWith(1, 1);
    const answers = Promise.all([guard.ask('a'), guard.ask('b')]);
    open.get('a')?.answer(1);
    await settled();
    open.get('b')?.answer(2);
    await answers;
    expect(clock.advanceToNext()).toBe(false);
  });
});
