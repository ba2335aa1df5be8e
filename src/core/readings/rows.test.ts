import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { sizeSensor } from './entities.ts';
import type { Moment } from './history.ts';
import { asCounter } from './otlp.uses.ts';
import { readings } from './readings.ts';
import { type EntryNaming, each, type Row } from './rows.ts';
import type { ReadingsTable } from './table.ts';

interface Disk {
  name: string;
  bytes: number | null;
}

const tableOf = (row: Row<Disk>, naming: Partial<EntryNaming<Disk>> = {}, more: Partial<ReadingsTable<Disk[]>> = {}) =>
  readings<Disk[]>({ rows: [each((disks) => disks, { key: ({ name }) => name, ...naming }, [row])], ...more });

const entitiesOf = async (table: ReturnType<typeof tableOf>, disks: Disk[], before: Disk[] | null = null) => {
  const { read } = (await table.entities?.(fakeHost())) ?? {};
  return read?.(disks, before && { payload: before, seconds: 10 }) ?? [];
};

const disk = (name: string, bytes: number | null): Disk => ({ name, bytes });
const free: Row<Disk> = { id: '{key}_free', name: '{title} free', value: ({ bytes }) => bytes, entity: true };

test('entries without entities do not number the keys of the others', async () => {
  const table = tableOf(free, { hasEntities: ({ bytes }) => bytes !== null });
  const states = await entitiesOf(table, [disk('a', null), disk('A', 1), disk('a', 2)]);
  expect(states.map(({ key, value }) => [key, value])).toEqual([
    ['a_free', 1],
    ['a_2_free', 2],
  ]);
});

test('entities of the first entries are on, the others off', async () => {
  const states = await entitiesOf(tableOf(free, { shown: 1 }), [disk('a', 1), disk('b', 2)]);
  expect(states.map(({ isOff }) => isOff)).toEqual([false, true]);
});

test('a dollar sign in the name of an entry is not a replacement pattern', async () => {
  const [state] = await entitiesOf(tableOf(free), [disk('/mnt/$& $$', 1)]);
  expect(state?.name).toBe('/mnt/$& $$ free');
});

test('the rate of a counter that became unknown is unknown, also after zero', async () => {
  const table = tableOf({ ...free, kind: 'counter', unit: 'bytes', entity: { unit: 'MB/s' } });
  const [known, unknown] = await entitiesOf(table, [disk('a', 5e6), disk('b', null)], [disk('a', 0), disk('b', 0)]);
  expect([known?.value, unknown?.value]).toEqual([0.5, null]);
});

test('a size is rounded as `sizeSensor` rounds it', async () => {
  const bytes = 145_000_000;
  const [state] = await entitiesOf(tableOf({ ...free, unit: 'bytes', entity: { unit: 'GB' } }), [disk('a', bytes)]);
  expect(state?.value).toBe(sizeSensor('', '', bytes, 'GB').value);
});

test('a row without a value has no metric of its own, and names that of a scrape in OTLP', () => {
  const { metrics, otlp } = tableOf({
    prometheus: 'node_forks',
    otlp: asCounter('system.process.created', '{process}'),
  });
  expect(metrics?.read([disk('a', 1)])).toEqual([]);
  const scraped = otlp?.().metrics((name) => (name === 'node_forks' ? [{ labels: {}, value: 7 }] : []), 0);
  expect(scraped).toEqual([
    {
      name: 'system.process.created',
      unit: '{process}',
      kind: 'counter',
      isWhole: true,
      points: [{ attributes: {}, value: 7 }],
    },
  ]);
});

test('with onlyKnown, an unknown value starts no series', () => {
  const recorded = (onlyKnown: boolean) => {
    const found: unknown[] = [];
    const moment: Moment = {
      value: (_series, value, device) => void found.push([device, value]),
      members: () => {},
      processes: () => {},
      event: () => {},
      onBattery: () => {},
      sinceMs: null,
      busySeconds: null,
      memoryPercent: null,
    };
    const table = tableOf({ ...free, record: { name: 'free', onlyKnown } }, { device: ({ name }) => name });
    table.history?.read?.([disk('a', 1), disk('b', null)], moment);
    return found;
  };
  expect(recorded(true)).toEqual([['a', 1]]);
  expect(recorded(false)).toEqual([
    ['a', 1],
    ['b', null],
  ]);
});

test('a table that records nothing of the payload does not read it where there is no sampler', () => {
  const sampler = { linux: async () => () => ({ sample() {} }) };
  expect(tableOf(free, {}, { sampler }).history?.read).toBeUndefined();
  expect(tableOf({ ...free, record: 'free' }, {}, { sampler }).history?.read).toBeDefined();
});
