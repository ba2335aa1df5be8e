import { describe, expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import { type Batch, createWaiting } from './batch-queue.ts';
import { startPush } from './push.ts';
import { isPassing, parseRetryAfter, waitMs } from './retry.ts';
import type { SendOutcome } from './send.ts';

const minute = 60_000;
const away: SendOutcome = { kind: 'later', problem: 'Unable to connect', askedForMs: null };
const sent: SendOutcome = { kind: 'sent', partial: null };

/** A push to a collector with scripted answers; each batch is numbered by its points. */
function push({ batchBytes = 10, intervalMs = minute } = {}) {
  const clock = fakeClock();
  const logged: string[] = [];
  const note = (line: string) => void logged.push(line);
  const collector = {
    answer: (): SendOutcome | Promise<SendOutcome> => sent,
    tried: [] as number[],
    taken: [] as number[],
  };
  let collected = 0;
  const pushing = startPush({
    async collect() {
      collected += 1;
      return { body: new Uint8Array(batchBytes), points: collected };
    },
    async send({ points }) {
      collector.tried.push(points);
      const outcome = await collector.answer();
      if (outcome.kind === 'sent') collector.taken.push(points);
      return outcome;
    },
    address: 'http://collector:4318/v1/metrics',
    intervalMs,
    clock,
    log: { ...fakeContext().log, info: note, warn: note },
    random: () => 0.5,
  });
  /** Advances the clock in steps, so that promises settle in between. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1000) {
      clock.advance(Math.min(1000, ms - passed));
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
  };
  return { pushing, pass, collector, logged, clock };
}

describe('a push to a collector', () => {
  test('starts within seconds, with jitter, and repeats at the interval', async () => {
    const { pass, collector } = push();
    await pass(4000);
    expect(collector.taken).toEqual([]);
    await pass(1000);
    expect(collector.taken).toEqual([1]);
    await pass(10 * minute);
    expect(collector.taken).toHaveLength(11);
  });

  test('loses nothing when the collector is away for an hour, and sends in the order of collection', async () => {
    const { pass, collector, logged, pushing } = push();
    collector.answer = () => away;
    await pass(60 * minute);
    expect(collector.taken).toEqual([]);
    // Later retries are minutes apart.
    expect(collector.tried.length).toBeLessThan(30);
    expect(pushing.report()).toMatchObject({ waiting: 60, lost: 0, problem: 'Unable to connect', last_sent: null });
    expect(logged).toEqual([expect.stringContaining('Unable to connect. Hostler retries')]);
    collector.answer = () => sent;
    await pass(5 * minute);
    expect(collector.taken).toEqual(Array.from({ length: 65 }, (_, index) => index + 1));
    expect(pushing.report()).toMatchObject({ waiting: 0, lost: 0, problem: null });
    expect(logged).toHaveLength(2);
    expect(logged[1]).toContain('accepts metrics again; 0 batches were lost');
  });

  test('drops the oldest batches when the queue is full', async () => {
    const { pass, collector, pushing } = push({ batchBytes: 500_000 });
    collector.answer = () => away;
    await pass(20 * minute);
    expect(pushing.report()).toMatchObject({ waiting: 4, lost: 16 });
    collector.answer = () => sent;
    await pass(5 * minute);
    // More were dropped before the next attempt; the rest arrives in order without a gap.
    const [first = 0] = collector.taken;
    expect(first).toBeGreaterThanOrEqual(17);
    expect(collector.taken).toEqual(Array.from({ length: 26 - first }, (_, index) => first + index));
  });

  test('waits for Retry-After, and so do new batches', async () => {
    const { pass, collector } = push();
    collector.answer = () => ({ kind: 'later', problem: 'it answered 429', askedForMs: 10 * minute });
    await pass(10 * minute);
    expect(collector.tried).toEqual([1]);
    collector.answer = () => sent;
    await pass(minute);
    expect(collector.taken).toEqual(Array.from({ length: 11 }, (_, index) => index + 1));
  });

  test('continues with the next batch after a refusal and logs the refusal once', async () => {
    const { pass, collector, logged, pushing } = push();
    let attempt = 0;
    collector.answer = () => {
      attempt += 1;
      return { kind: 'refused', problem: `it answered 400 (at ${attempt})` };
    };
    await pass(5 * minute);
    expect(collector.tried).toEqual([1, 2, 3, 4, 5]);
    expect(pushing.report()).toMatchObject({ waiting: 0, lost: 5, problem: 'it answered 400 (at 5)' });
    expect(logged).toEqual([expect.stringContaining('it answered 400')]);
  });

  test('logs a partial success once', async () => {
    const { pass, collector, logged } = push();
    collector.answer = () => ({ kind: 'sent', partial: { rejected: 3, message: 'too old' } });
    await pass(5 * minute);
    expect(logged).toEqual([expect.stringContaining('rejected 3 of 1 data points: too old')]);
  });

  test('sends one request at a time and collects while it hangs', async () => {
    const { pass, collector, pushing } = push();
    collector.answer = () => new Promise(() => {});
    await pass(10 * minute);
    expect(collector.tried).toEqual([1]);
    expect(pushing.report().waiting).toBe(10);
  });

  test('leaves no timer behind', async () => {
    const { pass, collector, pushing, clock } = push();
    collector.answer = () => away;
    await pass(2 * minute);
    pushing.stop();
    expect(clock.advanceToNext()).toBe(false);
  });
});

describe('the retry delay', () => {
  test('grows up to five minutes, has jitter, and is never shorter than Retry-After', () => {
    const waits = Array.from({ length: 12 }, (_, index) => waitMs(index + 1, null, 1));
    expect(waits.slice(0, 3)).toEqual([5000, 10_000, 20_000]);
    expect(waits.at(-1)).toBe(5 * minute);
    expect(waitMs(1, null, 0)).toBe(2500);
    expect(waitMs(1, 30_000, 0)).toBe(30_000);
    expect(waitMs(1, 30_000, 1)).toBe(33_000);
    // Retry-After is capped.
    expect(waitMs(1, 365 * 24 * 60 * minute, 0)).toBe(60 * minute);
  });

  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['', null],
    [null, null],
  ])('Retry-After %p means %p ms', (text, ms) => {
    expect(parseRetryAfter(text, Date.UTC(2026, 0, 1))).toBe(ms);
  });

  test('applies only to errors that may be temporary', () => {
    expect([200, 301, 400, 401, 404, 413, 429, 500, 501, 502, 503, 504].filter(isPassing)).toEqual([
      429, 502, 503, 504,
    ]);
  });

  test('the newest batch stays, whatever its size', () => {
    const waiting = createWaiting(100);
    const batch = (size: number): Batch => ({ body: new Uint8Array(size), points: size });
    for (const size of [60, 30, 500]) waiting.add(batch(size));
    expect([waiting.count(), waiting.first()?.points, waiting.givenUp()]).toEqual([1, 500, 2]);
    waiting.remove(batch(1));
    expect(waiting.count()).toBe(1);
  });
});
