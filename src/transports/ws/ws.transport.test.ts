import { expect, test } from 'bun:test';
import { anyPlace, herePeer } from '../../../test/doubles/fake-wire.ts';
import type { Caller } from '../../core/caller.ts';
import type { HttpRequest, SocketPeer } from '../../core/route-table.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownUser } from './connection-budget.ts';
import { createSocketRoute } from './ws.transport.ts';

/** Upgrades with these headers: whether the client passes the admission queue, and who it is afterwards. */
async function upgradeWith(headers: Record<string, string>, peer: SocketPeer = herePeer) {
  const seen: { isAuthenticated: boolean[]; peers: SocketPeer[]; shares: unknown[] } = {
    isAuthenticated: [],
    peers: [],
    shares: [],
  };
  const upgrade = (upgraded: SocketPeer) => {
    seen.peers.push(upgraded);
    return true;
  };
  const service = {
    isKnownAddress: (address: string) => address === '192.0.2.7',
    knows: (secrets: readonly string[]) => secrets.some((secret) => secret === 'right' || secret === 'agent'),
    authorize(secrets: readonly string[]): Caller {
      if (secrets.includes('agent')) throw new ServiceError('forbidden', 'for agents only');
      return { tokenId: 'right', tokenName: 'right', scopes: new Set(), connection: () => herePeer };
    },
  };
  const route = createSocketRoute(service, async (_address, _gone, isAuthenticated, ownShare) => {
    seen.isAuthenticated.push(isAuthenticated);
    seen.shares.push(await ownShare?.());
    return anyPlace;
  });
  const raw = new Request('http://127.0.0.1/api/websocket', { headers: { upgrade: 'websocket', ...headers } });
  const apiToken = raw.headers.get('x-api-token');
  await route({ raw, apiToken, headers: raw.headers, connection: () => peer, upgrade } as unknown as HttpRequest);
  return {
    isAuthenticated: seen.isAuthenticated[0],
    tokenId: seen.peers[0]?.caller?.tokenId,
    share: seen.shares[0],
  };
}

test.each([
  ['X-API-Token', { 'X-API-Token': 'right' }],
  ['Authorization', { Authorization: 'Bearer right' }],
])('a valid token in %s bypasses the admission queue', async (_name, headers) => {
  expect(await upgradeWith(headers)).toMatchObject({ isAuthenticated: true, tokenId: 'right' });
});

test.each([
  ['no token', {}],
  ['a wrong token', { 'X-API-Token': 'wrong' }],
  ['a token that is for agents only', { 'X-API-Token': 'agent' }],
])('%s does not', async (_name, headers) => {
  expect(await upgradeWith(headers)).toMatchObject({ isAuthenticated: false, tokenId: undefined });
});

test.each([
  ['a process of our user on this machine', { isOurUser: async (how?: string) => how === 'batched' }, ownUser],
  ['a process of another user', { isOurUser: async () => false }, null],
  ['a client of a proxy', { forwarded: true }, null],
  ['an address that showed a valid token', { address: '192.0.2.7' }, 'address 192.0.2.7'],
  ['another address', { address: '192.0.2.8' }, null],
])('whose share of the admission queue %s has', async (_name, peer, share) => {
  expect((await upgradeWith({}, { ...herePeer, ...peer })).share).toBe(share);
});

test.each([
  ['is refused', () => false],
  [
    'throws',
    () => {
      throw new Error('not a request of this server');
    },
  ],
])('an upgrade that %s leaves its place', async (_name, upgrade) => {
  let left = 0;
  const service = { isKnownAddress: () => false, knows: () => false, authorize: (): never => expect.unreachable() };
  const route = createSocketRoute(service, () => ({ ...anyPlace, leave: () => (left += 1) }));
  const raw = new Request('http://127.0.0.1/api/websocket', { headers: { upgrade: 'websocket' } });
  const request = { raw, apiToken: null, headers: raw.headers, connection: () => herePeer, upgrade };
  await Promise.resolve(route(request as unknown as HttpRequest)).catch(() => {});
  expect(left).toBe(1);
});
