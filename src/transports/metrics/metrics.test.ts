import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import type { ModuleDefinition } from '../../core/module.ts';
import type { Store } from '../../core/store.ts';
import { createMetricsResponse } from './metrics.ts';

test('requests share one response as long as it is current', async () => {
  let reads = 0;
  const clock = fakeClock();
  const reading = Promise.withResolvers<void>();
  const module = {
    name: 'memory',
    async metrics() {
      await reading.promise;
      return { read: () => [] };
    },
  };
  const store = {
    get: async () => {
      reads++;
      return { payload: {} };
    },
    costs: () => [],
    names: [],
  };
  const answer = createMetricsResponse({
    modules: [module as unknown as ModuleDefinition],
    store: store as unknown as Store,
    host: fakeHost({ clock }),
    version: '6',
    log: fakeContext().log,
  });
  const plain = new Headers({ Accept: 'text/plain' });
  const asked = Array.from({ length: 100 }, () => answer(true, plain));
  reading.resolve();
  const texts = new Set(await Promise.all((await Promise.all(asked)).map((response) => response.text())));
  expect(texts.size).toBe(1);
  expect([...texts][0]).toContain('hostler_build_info');
  expect(reads).toBe(1);
  clock.advance(240);
  await answer(true, plain);
  expect(reads).toBe(1);
  clock.advance(10);
  await answer(true, plain);
  expect(reads).toBe(2);
});

test('metrics that are off are reported as off', async () => {
  const answer = createMetricsResponse({
    modules: [],
    store: {} as Store,
    host: fakeHost({}),
    version: '6',
    log: fakeContext().log,
  });
  await expect(answer(false, new Headers())).rejects.toThrow('turned off');
});
