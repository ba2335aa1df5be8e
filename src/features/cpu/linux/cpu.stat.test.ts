import { expect, test } from 'bun:test';
import { parseCpuStat } from './cpu.stat.ts';
import { sharesBetween, timesOf } from './cpu.times.ts';

const none = { user: 0, nice: 0, system: 0, idle: 0, iowait: 0, irq: 0, softirq: 0, steal: 0 };

test('cores keep their numbers when some between them are offline', () => {
  const { cores, all } = parseCpuStat(
    'cpu  3 0 0 9 0 0 0 0 0 0\ncpu0 1 0 0 2 0 0 0 0 0 0\ncpu10 2 0 0 7 0 0 0 0 0 0\nintr 5\n',
  );
  expect(all).toEqual({ ...none, user: 3, idle: 9 });
  expect(cores).toEqual([
    { id: 0, ticks: { ...none, user: 1, idle: 2 } },
    { id: 10, ticks: { ...none, user: 2, idle: 7 } },
  ]);
});

test('old kernels have fewer columns, and the last line may have no end', () => {
  expect(parseCpuStat('cpu 1 2 3 4').all).toEqual({ ...none, user: 1, nice: 2, system: 3, idle: 4 });
  expect(parseCpuStat('cpu  1 2 3 4\ncpu0 1 2 3 4\n').cores[0]?.ticks.steal).toBe(0);
});

test('the first number of a long line of counters is their sum', () => {
  const text = 'cpu  1 2 3 4 5 6 7 8 9 10\nintr 440911235678 1 2 3\nctxt 98\nbtime 5\nsoftirq 77 1 2\n';
  expect(parseCpuStat(text)).toMatchObject({ interrupts: 440_911_235_678, contextSwitches: 98, softInterrupts: 77 });
});

test('an empty file gives no values', () => {
  const nothing = { all: null, cores: [], contextSwitches: null, interrupts: null, softInterrupts: null };
  expect(parseCpuStat('')).toEqual(nothing);
  expect(parseCpuStat('intr \nctxt none\n')).toEqual(nothing);
});

test('times are seconds', () => {
  expect(timesOf({ ...none, user: 12_345, system: 50, idle: 1, irq: 250, softirq: 999 })).toEqual({
    user: 123.45,
    system: 0.5,
    idle: 0.01,
    interrupt: 2.5,
    dpc: null,
  });
});

test('stolen time is not idle, but part of the total', () => {
  const { usage, times_percent } = sharesBetween(none, { ...none, user: 20, idle: 30, steal: 50 });
  expect(usage).toBe(70);
  expect(times_percent).toEqual({ user: 20, system: 0, idle: 30, interrupt: 0, dpc: null });
});

test('waiting for a disk is neither busy nor idle', () => {
  expect(sharesBetween(none, { ...none, idle: 40, iowait: 40, system: 20 })).toEqual({
    usage: 20,
    times_percent: { user: 0, system: 20, idle: 40, interrupt: 0, dpc: null },
  });
});

test('guest time is part of user time and counted once', () => {
  const [before, after] = ['cpu 100 10 0 0 0 0 0 0 100 10\n', 'cpu 150 20 0 40 0 0 0 0 150 20\n'].map(
    (text) => parseCpuStat(text).all ?? none,
  );
  expect(sharesBetween(before ?? none, after ?? none)).toMatchObject({
    usage: 60,
    times_percent: { user: 50, idle: 40 },
  });
});

test('a counter that decreased counts as unchanged', () => {
  const before = { ...none, idle: 100, iowait: 50, user: 10 };
  const shares = sharesBetween(before, { ...none, idle: 90, iowait: 40, user: 20 });
  expect(shares).toMatchObject({ usage: 100, times_percent: { user: 100, idle: 0 } });
});

test('without elapsed time there is no usage', () => {
  expect(sharesBetween(none, none).usage).toBe(0);
});
