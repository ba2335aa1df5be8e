import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import { createConnectionBudget } from './connection-budget.ts';
import type { SocketSession } from './session.ts';

test('connections from one peer to the ports with and without TLS are two sockets', () => {
  const budget = createConnectionBudget({ log: fakeContext().log, ...fakeClock(), drop: () => {} });
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
