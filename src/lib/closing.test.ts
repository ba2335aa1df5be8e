import { expect, test } from 'bun:test';
import { closedOnFailure, createStops } from './closing.ts';

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
