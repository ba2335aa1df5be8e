import { expect, test } from 'bun:test';
import { createLog } from './log.ts';
import { createSparingLines, withSparingErrors } from './rate-limited-log.ts';

function start(most: number) {
  const written: string[] = [];
  let now = 0;
  let timers: { at: number; run(): void }[] = [];
  const lines = createSparingLines(
    {
      monotonic: () => now,
      after(ms, run) {
        const timer = { at: now + ms, run };
        timers.push(timer);
        return () => {
          timers = timers.filter((each) => each !== timer);
        };
      },
    },
    { most, write: (line) => void written.push(line), more: (count) => `${count} more` },
  );
  const pass = (ms: number) => {
    now += ms;
    for (const timer of timers.filter(({ at }) => at <= now)) timer.run();
  };
  return { lines, written, pass, waiting: () => timers.length };
}

test('a limited number of lines a minute is written, and the number of further ones is logged once', () => {
  const { lines, written, pass, waiting } = start(2);
  for (let i = 0; i < 1000; i += 1) lines.say(() => `line ${i}`);
  expect(written).toEqual(['line 0', 'line 1']);
  expect(waiting()).toBe(1);
  pass(60_000);
  expect(written).toEqual(['line 0', 'line 1', '998 more']);
  expect(waiting()).toBe(0);
  lines.say(() => 'later');
  expect(written.at(-1)).toBe('later');
});

test('within the limit there is no timer, and above it no line is formatted', () => {
  const { lines, written, waiting, pass } = start(1);
  lines.say(() => 'a');
  expect(waiting()).toBe(0);
  lines.say(() => {
    throw new Error('must not be called');
  });
  pass(120_000);
  expect(written).toEqual(['a', '1 more']);
});

test('the pending summary is written at the end', () => {
  const { lines, written, waiting } = start(1);
  lines.say(() => 'a');
  lines.say(() => 'b');
  lines.close();
  lines.close();
  expect(written).toEqual(['a', '1 more']);
  expect(waiting()).toBe(0);
});

test('errors that a caller can cause do not fill the log', () => {
  const lines: string[] = [];
  let timers: (() => void)[] = [];
  const clock = {
    monotonic: () => 0,
    after(_ms: number, run: () => void) {
      timers.push(run);
      return () => {
        timers = timers.filter((each) => each !== run);
      };
    },
  };
  const log = withSparingErrors(
    createLog((line) => void lines.push(line), 'INFO'),
    'http',
    clock,
  );
  for (let count = 0; count < 1000; count += 1) log.error('http: an unexpected error', new Error('the cause'));
  log.warn('other lines are not limited');
  expect(lines).toHaveLength(21);
  expect(lines[0]).toContain('http: an unexpected error: Error: the cause');
  for (const run of timers) run();
  expect(lines.at(-1)).toContain('http: 980 more unexpected errors in this minute');
});
