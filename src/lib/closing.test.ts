import { expect, mock, test } from 'bun:test';
import { closedOnFailure, createStops, stopAll, stopOnceBegun } from './closing.ts';

test('what was opened is closed only where the work fails, and the error is passed on', async () => {
  let closed = 0;
  const opened = { close: () => void closed++ };
  expect(await closedOnFailure(opened, (same) => same === opened)).toBe(true);
  expect(closed).toBe(0);
  await expect(closedOnFailure(opened, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(closed).toBe(1);
});

test('each function is called once, also one that is added after the end', () => {
  const called: string[] = [];
  const stops = createStops(() => called.push('a'));
  stops.add(() => called.push('b'));
  stops.end();
  stops.end();
  stops.add(() => called.push('late'));
  expect([called, stops.isEnded()]).toEqual([['a', 'b', 'late'], true]);
});

test('all are stopped', () => {
  const stopped: string[] = [];
  stopAll([() => stopped.push('one'), () => stopped.push('other')])();
  expect(stopped).toEqual(['one', 'other']);
});

test('what has begun is stopped at once', async () => {
  const begun = mock();
  const stop = stopOnceBegun(Promise.resolve(begun));
  await Promise.resolve();
  stop();
  expect(begun).toHaveBeenCalledTimes(1);
});

test('what begins later is stopped then; a failed beginning needs no stop', async () => {
  const begun = mock();
  const { promise, resolve } = Promise.withResolvers<() => void>();
  stopOnceBegun(promise)();
  resolve(begun);
  await promise;
  expect(begun).toHaveBeenCalledTimes(1);
  stopOnceBegun(Promise.reject(new Error('no bus')))();
  await Promise.resolve();
});
