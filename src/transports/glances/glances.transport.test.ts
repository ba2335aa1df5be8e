import { expect, test } from 'bun:test';
import { fakeContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import type { Connection, PeerEnd } from '../../core/caller.ts';
import { createRouteTable, type HttpRequest } from '../../core/route-table.ts';
import type { TransportParts } from '../../core/transport.ts';
import { ServiceError } from '../../lib/errors.ts';
import { glancesTransport } from './glances.transport.ts';
import { privatePath } from './secret-path.ts';

const basic = (password: string) => ({ Authorization: `Basic ${btoa(`anyone:${password}`)}` });

function started(glances = { enabled: true, privatePath: false }) {
  const routeTable = createRouteTable(createUnreadBudget(1000));
  const host = fakeHost({ storage: memoryStorage(), paths: { state: '/state' } as never });
  const service = {
    modules: [],
    store: { get: async () => Promise.reject(new ServiceError('not_found', 'There is none')) },
    authorize(secrets: string[]) {
      const secret = secrets.find((each) => each === 'reader' || each === 'other');
      if (secret === undefined) throw new ServiceError('unauthorized', 'A token is needed');
      return { scopes: new Set([secret === 'reader' ? 'read' : 'files']) };
    },
  };
  const settings = { current: () => ({ glances }), onChange: () => () => {} };
  glancesTransport.start({
    routeTable,
    host,
    service,
    settings,
    log: fakeContext().log,
  } as unknown as TransportParts);
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const [, below] = [...routeTable.prefixes].find(([prefix]) => path.startsWith(prefix)) ?? [];
    const connection = () => ({ address: '192.0.2.1' }) as Connection & PeerEnd;
    const request = {
      method: 'GET',
      path,
      rawQuery: '',
      apiToken: null,
      headers: new Headers(headers),
      connection,
    } as HttpRequest;
    const response = await below?.methods.GET?.(request);
    return await response?.json();
  };
  return { ask, host, routeTable, glances };
}

test('a token that reads is the password, with any user name, or a bearer token', async () => {
  const { ask } = started();
  expect(await ask('/api/4/version', basic('reader'))).toBe('4.5.5');
  expect(await ask('/api/3/version', { Authorization: 'Bearer reader' })).toBe('4.5.5');
  expect(await ask('/api/4/mem', basic('reader'))).toEqual({});
  await expect(ask('/api/4/version')).rejects.toThrow('A token is needed');
  await expect(ask('/api/4/version', basic('wrong'))).rejects.toThrow('A token is needed');
  await expect(ask('/api/4/version', basic('other'))).rejects.toThrow('read');
});

test('while it is off a client with a token learns how to turn it on, and one without learns nothing', async () => {
  const { ask } = started({ enabled: false, privatePath: true });
  await expect(ask('/api/4/all', basic('reader'))).rejects.toThrow('glances.enabled');
  await expect(ask('/api/4/all')).rejects.toThrow('A token is needed');
});

test('the secret address needs no token, and only the last one that was made is valid', async () => {
  const { ask, host, glances } = started({ enabled: true, privatePath: true });
  await expect(ask('/glances//api/4/version')).rejects.toThrow('A token is needed');
  const first = await privatePath(host, false);
  expect(first).toMatch(/^[\w-]{32}$/);
  expect(await privatePath(host, false)).toBe(first);
  expect(await ask(`/glances/${first}/api/4/version`)).toBe('4.5.5');
  for (const path of [
    `/glances/${first}x/api/4/version`,
    `/glances/${first}/api/5/version`,
    '/glances/',
    '/glances/reader/api/4/all',
  ])
    await expect(ask(path, basic('reader'))).rejects.toThrow('A token is needed');
  const second = await privatePath(host, true);
  await expect(ask(`/glances/${first}/api/4/version`)).rejects.toThrow('A token is needed');
  expect(await ask(`/glances/${second}/api/3/version`)).toBe('4.5.5');
  glances.privatePath = false;
  await expect(ask(`/glances/${second}/api/4/version`)).rejects.toThrow('A token is needed');
});
