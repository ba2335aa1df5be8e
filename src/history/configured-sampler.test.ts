import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { defineModule } from '../core/module.ts';
import { createReading, type Reading } from '../core/reading.ts';
import type { ModuleHistory, Moment } from '../core/readings/history.ts';
import { defaultSettings } from '../features/index.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { createBuffer } from './buffer.ts';
import { loadSamplers } from './samplers.ts';

interface Own {
  id: string;
  value: number;
}

/** A module whose series the settings define, like the list of allowed mounts. */
async function open(given: Partial<ModuleHistory<Own[]>> = {}) {
  const clock = fakeClock(1_000_000);
  let settings: Settings = defaultSettings;
  let answer: () => Reading | Promise<Reading> = () => createReading([], [], clock);
  let reads = 0;
  const said: string[] = [];
  const module = defineModule<Own[]>({
    name: 'own',
    description: 'Own',
    schema: async () => {
      throw new Error('not needed');
    },
    everyMs: 1000,
    empty: [],
    history: async () => ({
      series: {},
      configured: ({ disks }) =>
        Object.fromEntries(
          disks.allowedSecondaryMountPoints.map((id) => [`own.${id}`, { unit: 'mails', description: id }]),
        ),
      read(all, moment) {
        for (const { id, value } of all) moment.value(`own.${id}`, value);
      },
      ...given,
    }),
    sources: {},
  });
  const samplers = await loadSamplers({
    modules: [module as never],
    host: fakeHost({ clock }),
    log: { ...fakeContext().log, warn: (text) => void said.push(text) },
    settings: () => settings,
    store: {
      get() {
        reads += 1;
        return answer();
      },
    },
  });
  return {
    clock,
    said,
    reads: () => reads,
    answer(given: typeof answer) {
      answer = given;
    },
    gives(payload: Own[]) {
      answer = () => createReading(payload, [], clock);
    },
    configure(...names: string[]) {
      settings = { ...settings, disks: { ...settings.disks, allowedSecondaryMountPoints: names } };
    },
    async look() {
      clock.advance(15_000);
      const buffer = createBuffer();
      await samplers.sample(buffer);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      return Object.fromEntries(
        Object.entries(buffer.take(15_000).series).map(([name, values]) => [name, values.at(-1)]),
      );
    },
  };
}

test('nothing is read while the settings name nothing', async () => {
  const { look, reads } = await open();
  expect(await look()).toEqual({});
  expect(reads()).toBe(0);
});

test('beside the sampler of a module', async () => {
  const sample = (moment: Moment) => moment.value('own', 7);
  const series = { own: { unit: 'percent' as const, description: 'Own' } };
  const { look, gives, configure, reads } = await open({ series, samplers: { linux: async () => () => ({ sample }) } });
  expect([await look(), reads()]).toEqual([{ own: 7 }, 0]);
  configure('a');
  gives([{ id: 'a', value: 1 }]);
  await look();
  expect(await look()).toEqual({ own: 7, 'own.a': 1 });
});

test('a sample has the values read since the previous sample; series follow the settings', async () => {
  const { look, gives, configure } = await open();
  gives([
    { id: 'a', value: 1 },
    { id: 'b', value: 2 },
  ]);
  configure('a');
  expect(await look()).toEqual({ 'own.a': null });
  expect(await look()).toEqual({ 'own.a': 1 });
  configure('b', 'c');
  expect(await look()).toEqual({ 'own.b': 2, 'own.c': null });
  configure();
  expect(await look()).toEqual({});
});

test('a source that never answers delays no sample, is not read twice, and keeps its last values', async () => {
  const { look, gives, answer, configure, reads } = await open();
  configure('a');
  gives([{ id: 'a', value: 1 }]);
  await look();
  const { promise, resolve } = Promise.withResolvers<Reading>();
  answer(() => promise);
  for (let looks = 0; looks < 3; looks += 1) expect(await look()).toEqual({ 'own.a': 1 });
  expect(reads()).toBe(2);
  resolve(createReading([{ id: 'a', value: 5 }], [], fakeClock()));
  await promise;
  gives([{ id: 'a', value: 6 }]);
  expect(await look()).toEqual({ 'own.a': 5 });
  expect(await look()).toEqual({ 'own.a': 6 });
});

test('a failed read is unknown and logged once, and a missing module is not logged', async () => {
  const { look, gives, answer, configure, said } = await open();
  configure('a');
  gives([{ id: 'a', value: 1 }]);
  await look();
  answer(() => Promise.reject(new Error('it broke')));
  await look();
  for (let looks = 0; looks < 3; looks += 1) expect(await look()).toEqual({ 'own.a': null });
  expect(said).toEqual(['history: own cannot be recorded: it broke']);
  answer(() => Promise.reject(new ServiceError('not_found', 'gone')));
  await look();
  expect(await look()).toEqual({ 'own.a': null });
  expect(said).toHaveLength(1);
  gives([{ id: 'a', value: 2 }]);
  await look();
  expect(await look()).toEqual({ 'own.a': 2 });
});

test('values from before a sleep are dropped', async () => {
  const { look, gives, configure, clock } = await open();
  configure('a');
  gives([{ id: 'a', value: 1 }]);
  await look();
  clock.set(clock.now() + 3_600_000);
  expect(await look()).toEqual({ 'own.a': null });
  expect(await look()).toEqual({ 'own.a': 1 });
});
