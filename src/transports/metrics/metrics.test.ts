import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import type { ModuleDefinition } from '../../core/module.ts';
import type { Store } from '../../core/store.ts';
import { takesGzip } from '../../lib/quality-values.ts';
import { createMetricsResponse, formatFor } from './metrics.ts';
import { openMetrics, plainText } from './openmetrics.ts';

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

const prometheus2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

test.each([
  [null, openMetrics],
  ['*/*', openMetrics],
  ['', openMetrics],
  ['nonsense;;q=x,,', openMetrics],
  [prometheus2, openMetrics],
  [prometheus3, openMetrics],
  ['text/plain', plainText],
  ['TEXT/Plain; version=0.0.4', plainText],
  ['text/plain;version=0.0.4;q=1,*/*;q=0.1', plainText],
  ['text/plain;q=0.3, application/openmetrics-text;q=0.2', plainText],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', openMetrics],
])('Accept %p selects %p', (accept, format) => {
  expect(formatFor(accept)).toBe(format);
});

test.each([
  [null, false],
  ['gzip', true],
  ['deflate, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['*, gzip;q=0', false],
  ['br', false],
])('Accept-Encoding %p takes gzip: %p', (acceptEncoding, takes) => {
  expect(takesGzip(acceptEncoding)).toBe(takes);
});
