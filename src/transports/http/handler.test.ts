import { expect, test } from 'bun:test';
import { fakeContext } from '../../../test/doubles/fake-host.ts';
import { createRouteTable } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import type { Requester } from './fair-share.ts';
import { createHandler } from './handler.ts';

test('two tokens or sessions of the same name have a fair share each', async () => {
  const requesters: Requester[] = [];
  const handle = createHandler({
    service: { identify: ([secret = '']) => ({ id: `id of ${secret}`, name: 'Firefox on Linux' }) } as Service,
    log: fakeContext().log,
    requestLines: { begin: () => null },
    routeTable: createRouteTable(),
    openServedFile: () => Promise.reject(new Error('not needed')),
    fileBody: () => new Blob(),
    knownNames: () => {
      throw new Error('not needed');
    },
    port: () => 9170,
    dashboard: async () => new Response(),
    rateLimiter: { admits: () => false },
    fairShare: {
      take(from) {
        requesters.push(from);
        return null;
      },
    },
    peer: { end: () => ({ address: '192.0.2.1', port: 5 }), isOurUser: async () => false, isEncrypted: false },
  });
  for (const secret of ['one', 'two']) {
    const request = new Request('http://localhost/api/modules', { headers: { 'X-API-Token': secret } });
    const response = await handle(request);
    expect(response?.status).toBe(429);
  }
  expect(requesters).toEqual([
    { tokenId: 'id of one', connection: '192.0.2.1 5' },
    { tokenId: 'id of two', connection: '192.0.2.1 5' },
  ]);
});
