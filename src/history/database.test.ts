import { afterAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createDatabases } from '../host/database.ts';
import type { SampleBlock } from './block.ts';
import { dayMs } from './database.tables.ts';
import { keptSamplesMs, keptStepsMs, openHistoryDatabase } from './database.ts';
import { type Step, stepMs } from './steps.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-history-'));
const opened: { close(): void }[] = [];
afterAll(() => {
  // Windows does not remove open files.
  for (const database of opened) database.close();
  fs.rmSync(directory, { recursive: true, force: true });
});
const openNew = async () => {
  const database = await createDatabases().open(path.join(directory, `${opened.length}.db`));
  opened.push(database);
  return openHistoryDatabase(database);
};

const noon = Date.UTC(2026, 10, 16, 12);
const busy = (name: string, cpu: number, memory = 1e6) => ({ pid: 1, name, cpu, memory });

function block(start: number, values: (number | null)[], more: Partial<SampleBlock> = {}): SampleBlock {
  return {
    id: Math.floor(Math.random() * 2 ** 52),
    every: 15_000,
    at: values.map((_, index) => start + index * 15_000),
    series: { cpu: values },
    processes: values.map(() => []),
    events: [],
    ...more,
  };
}

type Opened = Awaited<ReturnType<typeof openNew>>;

function samplesOf(history: Opened, series = 'cpu', from = noon - 1e9, to = noon + 1e9) {
  const found: [number, number][] = [];
  history.samples(series, from, to, (at, _every, value) => {
    if (value !== null) found.push([at, value]);
  });
  return found;
}

function stepsOf(history: Opened, from = noon - 1e9, to = noon + 1e9) {
  const found: [number, Step][] = [];
  history.steps('cpu', from, to, (begin, step) => found.push([begin, step]));
  return found;
}

test('samples are returned with their times, unknown values are left out', async () => {
  const history = await openNew();
  history.takeIn([block(noon, [10, null, 30])]);
  expect(samplesOf(history)).toEqual([
    [noon, 10],
    [noon + 30_000, 30],
  ]);
  expect(samplesOf(history, 'cpu', noon + 1, noon + 30_000)).toEqual([[noon + 30_000, 30]]);
  expect(samplesOf(history, 'nothing')).toEqual([]);
});

test('five minutes become one step with mean, least and most; two blocks of them are joined', async () => {
  const history = await openNew();
  history.takeIn([block(noon, [10, 20])]);
  history.takeIn([block(noon + 60_000, [60, 70])]);
  expect(stepsOf(history)).toEqual([[noon, { count: 4, mean: 40, least: 10, most: 70 }]]);
});

test('a block over midnight is in both days', async () => {
  const history = await openNew();
  const midnight = Date.UTC(2026, 10, 17);
  history.takeIn([block(midnight - 15_000, [1, 2])]);
  expect(stepsOf(history, midnight - stepMs, midnight + stepMs).map(([begin, { mean }]) => [begin, mean])).toEqual([
    [midnight - stepMs, 1],
    [midnight, 2],
  ]);
});

test('a block that is inserted twice, after a crash, counts once', async () => {
  const history = await openNew();
  const twice = block(noon, [10], { events: [{ at: noon, kind: 'start', text: 'x' }] });
  history.takeIn([twice]);
  history.takeIn([twice]);
  expect(stepsOf(history)[0]?.[1].count).toBe(1);
  expect(history.events(0, noon * 2, 10)).toHaveLength(1);
});

test('series may come and go between blocks', async () => {
  const history = await openNew();
  history.takeIn([block(noon, [1], { series: { cpu: [1], gone: [2] } })]);
  history.takeIn([block(noon + 15_000, [3], { series: { fresh: [4], cpu: [3] } })]);
  expect(samplesOf(history).map(([, value]) => value)).toEqual([1, 3]);
  expect(samplesOf(history, 'fresh').map(([, value]) => value)).toEqual([4]);
  expect(history.names().sort()).toEqual(['cpu', 'fresh', 'gone']);
});

test('after the clock was set back, both samples of a repeated time are stored', async () => {
  const history = await openNew();
  history.takeIn([block(noon, [10, 20]), block(noon, [30, 40])]);
  expect(samplesOf(history)).toHaveLength(4);
  expect(stepsOf(history)).toEqual([[noon, { count: 4, mean: 25, least: 10, most: 40 }]]);
});

describe('expired data is deleted', () => {
  test('samples after a day, steps and events after thirty', async () => {
    const history = await openNew();
    const event = (at: number) => ({ events: [{ at, kind: 'start', text: String(at) }] });
    const old = noon - keptStepsMs - 2 * 86_400_000;
    const recent = noon - keptSamplesMs - 3_600_000;
    history.takeIn([old, recent, noon].map((at) => block(at, [1], event(at))));
    history.forget(noon);
    expect(samplesOf(history, 'cpu', 0, noon * 2).map(([at]) => at)).toEqual([noon]);
    expect(stepsOf(history, 0, noon).map(([at]) => at)).toEqual([recent, noon]);
    expect(history.events(0, noon * 2, 10).map(({ at }) => at)).toEqual([recent, noon]);
  });

  test('data from the future, recorded with a wrong clock, is deleted', async () => {
    const history = await openNew();
    history.takeIn([block(Date.UTC(2040, 0), [1])]);
    history.forget(noon);
    expect(samplesOf(history, 'cpu', 0, Date.UTC(2041, 0))).toEqual([]);
    expect(history.names()).toEqual([]);
  });
});

test('the busiest processes are stored per sample for a day, and per five minutes later', async () => {
  const history = await openNew();
  const processes = [[busy('make', 100), busy('idle', 0, 9e9)], [busy('make', 50)]];
  history.takeIn([block(noon, [1, 2], { processes })]);
  expect([...history.processes(noon, noon)].flat()).toEqual([
    { busiest: [busy('make', 100), busy('idle', 0, 9e9)], ms: 15_000 },
  ]);
  history.forget(noon + 2 * keptSamplesMs);
  const [step] = [...history.processes(noon, noon)].flat();
  expect(step?.ms).toBe(stepMs);
  // 22.5 s of processor time in five minutes.
  expect(step?.busiest[0]).toMatchObject({ name: 'make', cpu: 7.5 });
  expect(step?.busiest.map(({ name }) => name)).toContain('idle');
});

test('new devices all the time delete each other, and no series that is still recorded', async () => {
  const history = await openNew();
  const old = Array.from({ length: 10 }, (_, index) => `disk.free//old/${index}`);
  history.takeIn([
    block(noon - dayMs, [1], { series: { cpu: [1], ...Object.fromEntries(old.map((name) => [name, [1]])) } }),
  ]);
  for (let turn = 0; turn < 5; turn++) {
    const mounts = Array.from({ length: 500 }, (_, index) => [`disk.free//media/${turn}-${index}`, [1]]);
    const at = noon + turn * stepMs;
    history.takeIn([block(at, [1], { series: { 'disk.free//': [turn], ...Object.fromEntries(mounts) } })]);
  }
  const names = history.names();
  expect(names).toHaveLength(2000);
  expect(names).toContain('cpu');
  expect(names.filter((name) => name.startsWith('disk.free//old/'))).toEqual([]);
  expect(names.filter((name) => name.startsWith('disk.free//media/4-'))).toHaveLength(500);
  expect(samplesOf(history, 'disk.free//').map(([, value]) => value)).toEqual([0, 1, 2, 3, 4]);
  // A deleted number must not be given to a series that would inherit the samples of another.
  history.takeIn([block(noon + 6 * stepMs, [7], { series: { fresh: [7] } })]);
  expect(samplesOf(history, 'fresh').map(([, value]) => value)).toEqual([7]);
});

test('the latest events of each kind are returned, in their order', async () => {
  const history = await openNew();
  const event = (kind: string, after: number) => ({ at: noon + after, kind, text: `${kind} ${after}` });
  const mounts = Array.from({ length: 50 }, (_, index) => event('mount', index + 2));
  history.takeIn([block(noon, [1], { events: [event('access', 0), event('agent', 1), ...mounts] })]);
  expect(history.events(noon, noon + 1000, 5).map(({ text }) => text)).toEqual([
    'access 0',
    'agent 1',
    'mount 49',
    'mount 50',
    'mount 51',
  ]);
});

test('a kind keeps its latest 5,000 events, and does not displace those of others', async () => {
  const history = await openNew();
  const event = (kind: string, after: number) => ({ at: noon + after, kind, text: `${kind} ${after}` });
  history.takeIn([block(noon, [1], { events: [event('access', 0)] })]);
  for (let turn = 0; turn < 110; turn++) {
    const mounts = Array.from({ length: 50 }, (_, index) => event('mount', turn * 50 + index + 1));
    history.takeIn([block(noon + turn * stepMs, [1], { events: mounts })]);
  }
  const found = history.events(noon, noon + 100_000, 10_000);
  expect(found).toHaveLength(5001);
  expect(found.slice(0, 2).map(({ text }) => text)).toEqual(['access 0', 'mount 501']);
});

test('a file of a newer version is neither read nor changed; one without a version is of 6.0.0', async () => {
  const file = path.join(directory, 'versions.db');
  const database = await createDatabases().open(file);
  opened.push(database);
  const version = () => database.rows('PRAGMA user_version')[0]?.user_version;
  expect(version()).toBe(0);
  openHistoryDatabase(database).takeIn([block(noon, [1, 2])]);
  expect(version()).toBe(1);
  database.run('PRAGMA user_version = 2');
  const before = database.rows('SELECT count(*) AS count FROM block');
  expect(() => openHistoryDatabase(database)).toThrow(/has version 2.*move the file away/);
  expect(version()).toBe(2);
  expect(database.rows('SELECT count(*) AS count FROM block')).toEqual(before);
});
