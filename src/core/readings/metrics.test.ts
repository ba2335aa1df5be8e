import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import { collectMetrics } from '../metrics-collector.ts';
import type { ModuleDefinition } from '../module.ts';
import type { Store } from '../store.ts';
import { gauge, type ModuleMetrics } from './metrics.ts';

const module = (name: string, metrics: ModuleMetrics<unknown>): ModuleDefinition => ({
  name,
  description: name,
  schema: () => Promise.reject(new Error('not needed')),
  everyMs: 1000,
  empty: null,
  metrics: async () => metrics,
  sources: {},
});

async function collect(modules: ModuleDefinition[], get: (name: string) => unknown = () => ({})) {
  const store = {
    get: async (name: string) => ({ payload: get(name) }),
    costs: () => [],
  } as unknown as Store;
  const said: string[] = [];
  const log = { debug: (text: string) => void said.push(text) };
  const metrics = await collectMetrics({ modules, store, host: fakeHost(), version: '6.0.0', log });
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.samples ?? [];
  return { of, said };
}

test('a module that fails is missing, and the other metrics report the failure', async () => {
  const broken = module('broken', {
    read: () => {
      throw new Error('no such table');
    },
  });
  const { of, said } = await collect([broken, module('sound', { read: () => [gauge('sound_level', 'Level', 1)] })]);
  expect(of('sound_level')).toHaveLength(1);
  expect(of('node_scrape_collector_success')).toEqual([
    { labels: { collector: 'broken' }, value: 0 },
    { labels: { collector: 'sound' }, value: 1 },
  ]);
  expect(said).toEqual(['metrics: broken could not be collected: no such table']);
});

test('a module that does not exist now is not a failure', async () => {
  const { of } = await collect([module('battery', { read: () => [] })], () => {
    throw new ServiceError('not_found', 'There is no battery');
  });
  expect(of('node_scrape_collector_success')).toEqual([]);
});

test('a module that does not need its payload for metrics is not read', async () => {
  const read: string[] = [];
  const alone = module('networks', {
    read: () => [gauge('x', 'From the payload', 1)],
    alone: async () => [gauge('x', 'By itself', 2)],
  });
  const { of } = await collect([alone], (name) => void read.push(name));
  expect(of('x')).toEqual([{ labels: {}, value: 2 }]);
  expect(read).toEqual([]);
});

test('metrics of the machine replace those of the payload with the same name', async () => {
  const { of } = await collect([
    module('cpu', {
      read: () => [gauge('x', 'X', 1), gauge('y', 'Y', 1)],
      beside: async () => [gauge('x', 'X', 2), gauge('y', 'Y', null)],
    }),
  ]);
  expect([of('x'), of('y')].flat().map(({ value }) => value)).toEqual([2, 1]);
});
