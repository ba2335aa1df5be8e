import { expect, test } from 'bun:test';
import { fakeContext } from '../../../test/doubles/fake-host.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import { createRouteTable } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import { baseDefaults } from '../../settings/catalogue.ts';
import type { Requester } from './fair-share.ts';
import { createHandler } from './handler.ts';

test('two tokens or sessions of the same name have a fair share each', async () => {
  const requesters: Requester[] = [];
  const handle = createHandler({
    service: { identify: ([secret = '']) => ({ id: `id of ${secret}`, name: 'Firefox on Linux' }) } as Service,
    log: fakeContext().log,
    requestLines: { begin: () => null },
    routeTable: createRouteTable(createUnreadBudget(1000)),
    openServedFile: () => Promise.reject(new Error('not needed')),
    fileBody: () => new Blob(),
    knownNames: () => {
      throw new Error('not needed');
    },
    basePath: () => baseDefaults.server,
    port: () => 9170,
    dashboard: async () => new Response(),
    rateLimiter: { admits: () => false },
    unreadAnswers: { paced: (response) => response },
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

test('the path of a secret address is not logged', async () => {
  const routeTable = createRouteTable(createUnreadBudget(1000));
  const GET = () => new Response('found');
  routeTable.prefixes.set('/open/', { methods: { GET }, isSecret: false });
  routeTable.prefixes.set('/hidden/', { methods: { GET }, isSecret: true });
  const logged: string[] = [];
  const handle = createHandler({
    service: { identify: () => null } as unknown as Service,
    log: fakeContext().log,
    requestLines: { begin: () => (end) => void logged.push(end.what) },
    routeTable,
    openServedFile: () => Promise.reject(new Error('not needed')),
    fileBody: () => new Blob(),
    knownNames: () => ({ names: new Set(['localhost']), allowedOrigins: [] }) as never,
    basePath: () => baseDefaults.server,
    port: () => 9170,
    dashboard: async () => new Response(),
    rateLimiter: { admits: () => true },
    unreadAnswers: { paced: (response) => response },
    fairShare: { take: () => null },
    peer: { end: () => ({ address: '127.0.0.1', port: 5 }), isOurUser: async () => false, isEncrypted: false },
  });
  const bodies = ['/open/all/1', '/hidden/secret/all'].map(async (path) =>
    (await handle(new Request(`http://localhost:9170${path}`, { headers: { Host: 'localhost:9170' } })))?.text(),
  );
  expect(await Promise.all(bodies)).toEqual(['found', 'found']);
  for (const mistyped of ['//hidden/secret', '/Hidden/secret', '/x/hidden%2Fsecret'])
    await handle(new Request(`http://localhost:9170${mistyped}`, { headers: { Host: 'localhost:9170' } }));
  expect(logged).toEqual(['GET /open/all/1', ...Array.from({ length: 4 }, () => 'GET /hidden/…')]);
});
