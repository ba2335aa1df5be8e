import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createPaced } from './paced.ts';

function setUp() {
  const clock = fakeClock();
  const runs: (() => void)[] = [];
  const paced = createPaced(clock, 10_000, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    runs.push(resolve);
    return promise;
  });
  /** Ends the latest run. */
  const finish = async () => {
    runs.at(-1)?.();
    await Bun.sleep(0);
  };
  return { clock, runs, paced, finish };
}

test('100,000 requests start two runs: one now and one after the pause', async () => {
  const { clock, runs, paced, finish } = setUp();
  for (let n = 0; n < 100_000; n++) paced.ask();
  expect(runs.length).toBe(1);
  await finish();
  clock.advance(9_999);
  expect(runs.length).toBe(1);
  clock.advance(1);
  expect(runs.length).toBe(2);
  await finish();
  clock.advance(60_000);
  expect(runs.length).toBe(2);
});

test('a run that takes longer than the pause is not started twice', async () => {
  const { clock, runs, paced, finish } = setUp();
  paced.ask();
  clock.advance(60_000);
  paced.ask();
  expect(runs.length).toBe(1);
  await finish();
  expect(runs.length).toBe(2);
});

test('an earlier request moves the pending run forward, a later one does not move it back', () => {
  const { clock, runs, paced } = setUp();
  paced.ask(30_000);
  paced.ask(5_000);
  paced.ask(20_000);
  clock.advance(5_000);
  expect(runs.length).toBe(1);
});

test('a cancelled request does not run', () => {
  const { clock, runs, paced } = setUp();
  paced.ask(5_000);
  paced.cancel();
  clock.advance(60_000);
  expect(runs.length).toBe(0);
});
