import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import type { HttpRequest, RouteTable } from '../../core/route-table.ts';
import type { TransportParts } from '../../core/transport.ts';
import { metricsTransport } from './metrics.transport.ts';

test('one token gets half of the concurrent scrapes, and the others are served', async () => {
  const routes: RouteTable['routes'] = new Map();
  const collecting = Promise.withResolvers<void>();
  const modules = [{ name: 'memory', metrics: () => collecting.promise.then(() => null) }];
  const store = { costs: () => [], names: [] };
  const authorize = (secrets: Iterable<string>) => ({ tokenId: [...secrets].at(-1), scopes: new Set(['read']) });
  const parts = {
    service: { modules, store, version: '6', authorize },
    host: fakeHost({}),
    log: fakeContext().log,
    settings: { current: () => ({ metrics: { enabled: true } }) },
    routeTable: { routes },
  };
  metricsTransport(() => []).start(parts as unknown as TransportParts);
  const scrape = async (tokenId: string) => {
    const headers = new Headers({ Authorization: `Bearer ${tokenId}` });
    const request = { apiToken: null, headers, rawQuery: '', connection: () => ({}) } as unknown as HttpRequest;
    return await routes.get('/metrics')?.GET?.(request);
  };
  const asked = Array.from({ length: 16 }, () => scrape('one'));
  await expect(scrape('one')).rejects.toMatchObject({ code: 'rate_limited' });
  asked.push(scrape('two'));
  collecting.resolve();
  expect((await Promise.all(asked)).map((response) => response?.status)).toEqual(new Array(17).fill(200));
  expect((await scrape('one'))?.status).toBe(200);
});
