import { expect, test } from 'bun:test';
import { defineModule } from '../core/module.ts';
import { defaultSettings } from '../features/index.ts';
import type { HistoryDatabase } from './database.ts';
import { readHistory } from './query.ts';

const now = Date.UTC(2026, 0, 2);
const module = defineModule({
  name: 'thing',
  description: 'A thing',
  schema: async () => {
    throw new Error('not needed');
  },
  everyMs: 1000,
  empty: {},
  history: async () => ({ series: { thing: { unit: 'percent', description: 'A thing' } }, read() {} }),
  sources: {},
});

test('other work runs between the parts of a long answer', async () => {
  let monotonic = 0;
  let breaks = 0;
  const clock = {
    now: () => now,
    monotonic: () => monotonic,
    after(_ms: number, callback: () => void) {
      breaks += 1;
      queueMicrotask(callback);
      return () => {};
    },
    cpu: () => 0,
  };
  const slow = () => {
    monotonic += 10;
  };
  const history: HistoryDatabase = {
    takeIn() {},
    forget() {},
    names: () => Array.from({ length: 20 }, (_, index) => `thing/${index}`),
    samples: slow,
    steps: slow,
    *processes() {
      for (let count = 0; count < 10; count++) {
        slow();
        yield [{ busiest: [{ pid: 1, name: 'make', cpu: 50, memory: 1 }], ms: 1000 }];
      }
    },
    events: () => [],
  };
  const query = { series: ['thing/*'], from: now - 3600_000, to: now, step: 86_400 };
  const present = { recording: true, unwritten: [], intervalMs: 15_000 };
  const answer = await readHistory(query, present, history, [module], defaultSettings, clock);
  expect(answer.series).toHaveLength(20);
  expect(answer.processes).toMatchObject([{ pid: 1, cpu: 50 }]);
  expect(breaks).toBe(29);
});

test('processes of one name are one program: means and highest values of all together', async () => {
  const clock = { now: () => now, monotonic: () => 0, after: () => () => {}, cpu: () => 0 };
  const tsc = (pid: number, cpu: number) => ({ pid, name: 'tsc', cpu, memory: 100 });
  const history: HistoryDatabase = {
    takeIn() {},
    forget() {},
    names: () => [],
    samples() {},
    steps() {},
    *processes() {
      yield [
        { busiest: [{ pid: 1, name: 'make', cpu: 50, memory: 300 }, tsc(2, 40), tsc(3, 60)], ms: 1000 },
        { busiest: [tsc(4, 50)], ms: 1000 },
      ];
    },
    events: () => [],
  };
  const query = { series: [], from: now - 3600_000, to: now, step: 60 };
  const present = { recording: true, unwritten: [], intervalMs: 15_000 };
  const answer = await readHistory(query, present, history, [module], defaultSettings, clock);
  expect(answer.programs).toEqual([
    { name: 'tsc', count: 3, cpu: 75, most_cpu: 100, memory: 200 },
    { name: 'make', count: 1, cpu: 25, most_cpu: 50, memory: 300 },
  ]);
  expect(answer.processes.map(({ pid, cpu }) => [pid, cpu])).toEqual([
    [3, 30],
    [1, 25],
    [4, 25],
    [2, 20],
  ]);
});

test('a prefix that no series has yet is answered with none, a wrong name with an error', async () => {
  const clock = { now: () => now, monotonic: () => 0, after: () => () => {}, cpu: () => 0 };
  const history: HistoryDatabase = {
    takeIn() {},
    forget() {},
    names: () => ['thing'],
    samples() {},
    steps() {},
    *processes() {},
    events: () => [],
  };
  const present = { recording: true, unwritten: [], intervalMs: 15_000 };
  const read = (name: string) =>
    readHistory(
      { series: [name], from: now - 3600_000, to: now, step: 60 },
      present,
      history,
      [module],
      defaultSettings,
      clock,
    );
  expect((await read('disk.free/*')).series).toEqual([]);
  await expect(read('disk.free')).rejects.toThrow('No series is named disk.free; available: thing');
});

test('of each series a limited number of devices is named', async () => {
  const clock = { now: () => now, monotonic: () => 0, after: () => () => {}, cpu: () => 0 };
  const history: HistoryDatabase = {
    takeIn() {},
    forget() {},
    names: () => ['thing', ...Array.from({ length: 2000 }, (_, index) => `thing/${index}`)],
    samples() {},
    steps() {},
    *processes() {},
    events: () => [],
  };
  const present = { recording: true, unwritten: [], intervalMs: 15_000 };
  const query = { series: ['thing'], from: now - 3600_000, to: now, step: 60 };
  const { series, names } = await readHistory(query, present, history, [module], defaultSettings, clock);
  expect([series.map(({ name }) => name), names.length, names[0]]).toEqual([['thing'], 100, 'thing']);
});
