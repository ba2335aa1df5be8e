import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import { anyPlace } from '../../../test/doubles/fake-wire.ts';
import { callerWith } from '../../../test/harness/agents.ts';
import { budgets } from '../../access/limits/budgets.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import { createConnectionBudget, ownUser } from './connection-budget.ts';
import type { SocketSession } from './session.ts';

test('connections from one peer to the ports with and without TLS are two sockets', () => {
  const budget = createConnectionBudget({
    unread: createUnreadBudget(1000),
    log: fakeContext().log,
    clock: fakeClock(),
    drop: () => {},
  });
  const end = { address: '192.0.2.1', port: 40_000 };
  const sessionOf = (recordBytes: number) =>
    ({
      peer: { ...end, recordBytes },
      place: anyPlace,
      caller: null,
      takenBytes: 0,
    }) as unknown as SocketSession;
  const plain = sessionOf(0);
  budget.opened(plain);
  expect(budget.socketAt(end, true)).toBeNull();
  const secure = sessionOf(29);
  budget.opened(secure);
  plain.caller = { tokenId: 'x' } as SocketSession['caller'];
  expect(budget.socketAt(end, false)?.authenticated).toBe(true);
  expect(budget.socketAt(end, true)?.authenticated).toBe(false);
  budget.closed(plain);
  expect(budget.socketAt(end, false)).toBeNull();
  expect(budget.socketAt(end, true)).not.toBeNull();
});

test('the browser sessions of a token have the connections of one token', () => {
  const dropped: SocketSession[] = [];
  const drop = (session: SocketSession) => void dropped.push(session);
  const budget = createConnectionBudget({
    unread: createUnreadBudget(1000),
    log: fakeContext().log,
    clock: fakeClock(),
    drop,
  });
  const { sockets } = budgets.caller;
  const open = (index: number, shareId: string) => {
    const peer = { address: '192.0.2.1', port: index };
    const session = { peer, place: anyPlace, caller: null } as unknown as SocketSession;
    const caller = { ...callerWith(['read'], `browser-${index}`), shareId };
    return { session, isKept: budget.recognised(session, caller) };
  };
  for (let index = 0; index < sockets; index++) expect(open(index, 'one').isKept).toBe(true);
  const excess = open(sockets, 'one');
  expect(dropped).toEqual([excess.session]);
  budget.closed(excess.session);
  expect(open(sockets + 1, 'two').isKept).toBe(true);
});

test('what a network used up is refused to all its addresses, but not to one that counts by itself', async () => {
  const clock = fakeClock();
  const budget = createConnectionBudget({
    unread: createUnreadBudget(1000),
    log: fakeContext().log,
    clock,
    drop: () => {},
  });
  const enter = async (address: string, share: string | null = null) =>
    await budget.enter(
      address,
      () => new AbortController().signal,
      false,
      () => share,
    );
  const waste = async (address: string, share?: string) => {
    const place = await enter(address, share);
    if (place === null) return false;
    const peer = { address, port: 40_000 };
    budget.closed({ peer, place, caller: null } as unknown as SocketSession);
    return true;
  };
  const { burst } = budgets.unauthenticated.wasted;
  for (let host = 0; host < burst; host++) expect(await waste(`2001:db8:0:0:${host}::1`)).toBe(true);
  expect(await waste('2001:db8:0:0:ffff::1')).toBe(false);
  expect(await enter('2001:db8:0:1::1')).not.toBeNull();
  expect(await enter('2001:db8:0:0:7::1', 'address 2001:db8:0:0:7::1')).not.toBeNull();
  for (let count = 0; count < burst; count++) await waste('2001:db8:0:0:8::1', 'own');
  expect(await waste('2001:db8:0:0:8::1', 'own')).toBe(false);
});

test('our user has places while other users hold all places, and all that wait, from hundreds of addresses of loopback', async () => {
  const clock = fakeClock();
  const drop = (session: SocketSession) => budget.closed(session);
  const budget = createConnectionBudget({
    unread: createUnreadBudget(1000),
    log: fakeContext().log,
    clock,
    drop,
  });
  const { places, waiting, ownUser: own } = budgets.unauthenticated;
  const lookups: string[] = [];
  const enter = (address: string, share: string | null, left = new AbortController()) =>
    budget.enter(
      address,
      () => left.signal,
      false,
      async () => {
        lookups.push(address);
        return share;
      },
    );
  for (let host = 0; host < places; host++) expect(enter(`127.1.0.${host}`, null)).toHaveProperty('leave');
  expect(lookups).toEqual([]);
  for (let host = 0; host < waiting.most; host++) void enter(`127.2.${host >> 8}.${host & 255}`, null);
  await Bun.sleep(0);
  expect(await enter('127.3.0.1', null)).toBeNull();
  for (let count = 0; count < own.places / 2; count++) {
    const place = await enter('127.0.0.1', ownUser);
    expect(place?.network).toBe(ownUser);
    const peer = { address: '127.0.0.1', port: count };
    budget.opened({ peer, place, caller: null, takenBytes: 0 } as unknown as SocketSession);
  }
  // Its own silent connections make room as well.
  const next = enter('127.0.0.1', ownUser);
  const left = new AbortController();
  const gone = enter('127.0.0.1', ownUser, left);
  left.abort();
  expect(await gone).toBeNull();
  clock.advance(own.minimumHoldMs + 100);
  expect((await next)?.network).toBe(ownUser);
});
