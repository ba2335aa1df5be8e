import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeClock, fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { until } from '../../test/harness/until.ts';
import { defineModule } from '../core/module.ts';
import { createReading } from '../core/reading.ts';
import type { ModuleHistory } from '../core/readings/history.ts';
import { defaultSettings } from '../features/index.ts';
import { createDatabases } from '../host/database.ts';
import { createStorage } from '../host/storage.ts';
import { createSharedTimers } from '../lib/shared-timers.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { startHistory } from './history.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-history-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
let states = 0;

const thing: ModuleHistory<{ value: number; total: number; members: string[] }> = {
  series: {
    thing: { unit: 'percent', description: 'A thing' },
    'thing.rate': { unit: 'bytes_per_second', description: 'How fast', counts: true },
  },
  sets: {
    members: { kind: 'member', description: '', came: (name) => `${name} came`, went: (name) => `${name} went` },
  },
  read({ value, total, members }, moment) {
    moment.value('thing', value);
    moment.value('thing', value * 2, 'part');
    moment.value('thing.rate', total);
    moment.members('members', members);
    moment.processes([{ pid: 1, name: 'make', cpu: value, memory: 1e6 }]);
  },
};

function start({ state = path.join(directory, String(++states)), enabled = true, now = Date.UTC(2026, 0, 1) } = {}) {
  fs.mkdirSync(state, { recursive: true });
  const clock = fakeClock(now);
  const said: string[] = [];
  const { log } = fakeContext({ log: { ...fakeContext().log, warn: (text) => void said.push(text) } });
  const payload = { value: 10, total: 0, members: ['a'] };
  const module = defineModule({
    name: 'thing',
    description: 'A thing',
    schema: async () => {
      throw new Error('not needed');
    },
    everyMs: 1000,
    empty: payload,
    history: async () => thing,
    sources: {},
  });
  const listeners = new Set<() => void>();
  let settings: Settings = { ...defaultSettings, history: { ...defaultSettings.history, enabled } };
  const host = fakeHost({
    clock,
    storage: createStorage(() => null),
    databases: createDatabases(),
    paths: { config: state, state, runtime: null },
    environment: { uptime: () => clock.monotonic() / 1000 },
  });
  const history = startHistory({
    host,
    log,
    modules: [module as never],
    store: { get: () => createReading({ ...payload }, [], clock) },
    timers: createSharedTimers(clock),
    settings: {
      current: () => settings,
      onChange(changed) {
        listeners.add(changed);
        return () => void listeners.delete(changed);
      },
    },
  });
  return {
    history,
    clock,
    payload,
    said,
    state,
    change(next: Partial<Settings['history']>) {
      settings = { ...settings, history: { ...settings.history, ...next } };
      for (const listener of listeners) listener();
    },
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 5) {
        clock.advance(5000);
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    read: (series: string[] = ['thing'], lastMs = 600_000, step: number | null = 60) =>
      history.read({ series, from: clock.now() - lastMs, to: clock.now(), step }),
  };
}

const sampled = ({ read }: ReturnType<typeof start>) =>
  until(async () => (await read([])).names.length > 0, 'the first sample');

/** The first use loads lazy modules, which takes real time. */
async function started(options: Parameters<typeof start>[0] = {}) {
  const running = start(options);
  await running.pass(15);
  await sampled(running);
  return running;
}

const known = (values: (number | null)[] | undefined) => values?.filter((value) => value !== null);

test('recorded data is read from memory, journal and database alike', async () => {
  const running = await started();
  await running.pass(60);
  expect(known((await running.read()).series[0]?.mean)).toEqual([10, 10]);
  running.payload.value = 50;
  await running.pass(600);
  const { series, recording, step, processes } = await running.read();
  expect(recording).toBe(true);
  expect(step).toBe(60);
  expect(series[0]).toMatchObject({ name: 'thing', unit: 'percent', description: 'A thing' });
  expect(known(series[0]?.mean)?.at(-1)).toBe(50);
  expect(processes[0]).toMatchObject({ pid: 1, name: 'make', most_cpu: 50 });
  await running.history.stop();
});

test('a peak has the same value and time in every range, also when it is in a step', async () => {
  const running = await started();
  await running.pass(120);
  running.payload.value = 90;
  await running.pass(15);
  const at = running.clock.now();
  running.payload.value = 20;
  await running.pass(660);
  for (const [lastMs, step] of [
    [900_000, null],
    [900_000, 300],
    [86_400_000, null],
    [7 * 86_400_000, null],
    [30 * 86_400_000 - 1, null],
  ] as const) {
    const [thing] = (await running.read(['thing'], lastMs, step)).series;
    expect([lastMs, step, thing?.peak]).toEqual([lastMs, step, { at, value: 90 }]);
    expect(Math.max(...(known(thing?.most) ?? []))).toBe(90);
  }
  await running.history.stop();
});

test('a late sample leaves no gap, a pause of a minute does', async () => {
  const running = await started();
  await running.pass(60);
  running.clock.stall(30_000);
  await running.pass(60);
  const short = (await running.read(['thing'], 120_000, 15)).series[0]?.mean;
  expect(short?.filter((value) => value === null)).toEqual([]);
  running.clock.stall(75_000);
  await running.pass(60);
  const long = (await running.read(['thing'], 120_000, 15)).series[0]?.mean;
  expect(long).toContain(null);
  await running.history.stop();
});

test('the data survives a restart, with stop and start as events', async () => {
  const first = await started();
  await first.pass(60);
  await first.history.stop();
  const second = await started({ state: first.state, now: first.clock.now() + 120_000 });
  await second.pass(60);
  const { series, events } = await second.read();
  expect(events.map(({ kind }) => kind)).toEqual(['start', 'stop', 'start']);
  const values = series[0]?.mean ?? [];
  // Recorded, a gap while nothing ran, recorded.
  expect(values.map((value) => (value === null ? '-' : 'x')).join('')).toMatch(/^-*x+-+x+$/);
  await second.history.stop();
});

test('a killed process loses only what was not written yet', async () => {
  const first = await started();
  await first.pass(330);
  // The process was killed.
  const second = await started({ state: first.state, now: first.clock.now() + 60_000 });
  expect(known((await second.read()).series[0]?.mean)?.length).toBeGreaterThanOrEqual(4);
  await second.history.stop();
});

test('a broken file is set aside and logged once, and recording continues', async () => {
  const first = await started();
  await first.pass(330);
  await first.read();
  await first.history.stop();
  const file = path.join(first.state, 'history.db');
  fs.writeFileSync(file, 'a letter '.repeat(2000));
  for (const suffix of ['-wal', '-shm']) fs.rmSync(`${file}${suffix}`, { force: true });
  const second = await started({ state: first.state, now: first.clock.now() });
  await second.pass(60);
  expect((await second.read()).series).toHaveLength(1);
  await second.read();
  expect(second.said.filter((line) => line.includes('is broken'))).toHaveLength(1);
  expect(fs.existsSync(`${file}.broken`)).toBe(true);
  await second.history.stop();
});

test('a database with damaged pages loses its records, but queries are answered', async () => {
  const first = await started();
  await first.pass(330);
  await first.read();
  await first.history.stop();
  const file = path.join(first.state, 'history.db');
  const bytes = fs.readFileSync(file);
  bytes.fill(0xa5, 4096);
  fs.writeFileSync(file, bytes);
  const second = await started({ state: first.state, now: first.clock.now() });
  expect((await second.read([])).recording).toBe(true);
  expect(fs.existsSync(`${file}.broken`)).toBe(true);
  await second.history.stop();
});

test('counters become rates, and a counter that restarts is unknown once', async () => {
  const running = await started();
  for (const total of [15_000, 30_000, 10, 15_010]) {
    running.payload.total = total;
    await running.pass(15);
  }
  const { series } = await running.read(['thing.rate'], 120_000, 15);
  expect(known(series[0]?.mean)).toEqual([1000, 1000, 1000]);
  await running.history.stop();
});

test('changes after the start are events, the initial state is not', async () => {
  const running = await started();
  running.payload.members = ['b'];
  await running.pass(15);
  expect((await running.read()).events.map(({ text }) => text)).toEqual(['Hostler was started', 'a went', 'b came']);
  await running.history.stop();
});

test('when disabled it records nothing, has no timer, and still answers', async () => {
  const running = start({ enabled: false });
  expect(running.clock.advanceToNext()).toBe(false);
  running.history.note('order', 'not recorded');
  expect(await running.read([])).toMatchObject({ recording: false, series: [], events: [] });
  running.change({ enabled: true });
  await running.pass(15);
  await sampled(running);
  await running.pass(30);
  expect(known((await running.read()).series[0]?.mean)).toHaveLength(1);
  running.change({ enabled: false });
  expect(await running.read()).toMatchObject({ recording: false });
  await running.history.stop();
});

test.each([
  [[], ['thing', 'thing.rate']],
  [['thing'], ['thing']],
  [['thing/*'], ['thing/part']],
  [['thing*'], ['thing', 'thing.rate', 'thing/part']],
])('the requested names %j select series', async (asked, expected) => {
  const running = await started();
  await running.pass(60);
  expect((await running.read(asked)).series.map(({ name }) => name)).toEqual(expected);
  await running.history.stop();
});

test.each([
  [{ series: ['nothing'] }, 'available: thing'],
  [{ from: Date.UTC(2026, 0, 2) }, 'from must lie before to'],
  [{ from: Date.UTC(2025, 11, 10), step: 1 }, null],
  [{ step: 1, from: Date.UTC(2025, 11, 31, 20) }, 'too many for one request'],
])('an invalid query is refused with a sentence: %j', async (asked, sentence) => {
  const running = await started();
  await running.pass(60);
  const now = running.clock.now();
  const answer = running.history.read({ series: ['thing'], from: now - 60_000, to: now, step: null, ...asked });
  if (sentence === null) expect((await answer).step).toBe(300);
  else await expect(answer).rejects.toThrow(sentence);
  await running.history.stop();
});
