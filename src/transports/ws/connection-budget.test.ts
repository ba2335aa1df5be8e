import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import { callerWith } from '../../../test/harness/agents.ts';
import { budgets } from '../../access/limits/budgets.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import { createConnectionBudget } from './connection-budget.ts';
import type { SocketSession } from './session.ts';

test('connections from one peer to the ports with and without TLS are two sockets', () => {
  const budget = createConnectionBudget({
    unread: createUnreadBudget(1000),
    log: fakeContext().log,
    ...fakeClock(),
    drop: () => {},
  });
  const end = { address: '192.0.2.1', port: 40_000 };
  const sessionOf = (recordBytes: number) =>
    ({
      peer: { ...end, recordBytes },
      place: { onEvict() {}, leave() {} },
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
    ...fakeClock(),
    drop,
  });
  const { sockets } = budgets.caller;
  const open = (index: number, shareId: string) => {
    const peer = { address: '192.0.2.1', port: index };
    const session = { peer, place: { onEvict() {}, leave() {} }, caller: null } as unknown as SocketSession;
    const caller = { ...callerWith(['read'], `browser-${index}`), shareId };
    return { session, isKept: budget.recognised(session, caller) };
  };
  for (let index = 0; index < sockets; index++) expect(open(index, 'one').isKept).toBe(true);
  const excess = open(sockets, 'one');
  expect(dropped).toEqual([excess.session]);
  budget.closed(excess.session);
  expect(open(sockets + 1, 'two').isKept).toBe(true);
});
