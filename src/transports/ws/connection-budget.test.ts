import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import { createSpending } from './connection-budget.ts';
import type { SocketSession } from './session.ts';

test('connections from the same end to the port without TLS and to the one with it are two sockets', () => {
  const spending = createSpending({ log: fakeContext().log, ...fakeClock(), drop: () => {} });
  const end = { address: '192.0.2.1', port: 40_000 };
  const sessionOf = (recordBytes: number) =>
    ({
      peer: { ...end, recordBytes },
      place: { onEvict() {}, leave() {} },
      caller: null,
      takenBytes: 0,
    }) as unknown as SocketSession;
  const plain = sessionOf(0);
  spending.opened(plain);
  expect(spending.socketAt(end, true)).toBeNull();
  const secure = sessionOf(29);
  spending.opened(secure);
  plain.caller = { tokenId: 'x' } as SocketSession['caller'];
  expect(spending.socketAt(end, false)?.authenticated).toBe(true);
  expect(spending.socketAt(end, true)?.authenticated).toBe(false);
  spending.closed(plain);
  expect(spending.socketAt(end, false)).toBeNull();
  expect(spending.socketAt(end, true)).not.toBeNull();
});
