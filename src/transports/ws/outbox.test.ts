import { describe, expect, test } from 'bun:test';
import { anyPlace, type FakeWire, fakeWire, herePeer } from '../../../test/doubles/fake-wire.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import { createOutbox } from './outbox.ts';
import { createSocketSession, type SocketSession } from './session.ts';

function outboxOf(wire: FakeWire, unread = createUnreadBudget(64 * 1024 * 1024)) {
  const happened: string[] = [];
  const session = createSocketSession(wire, herePeer, anyPlace, 0);
  const note = (what: string) => (about: SocketSession) => {
    if (about === session) happened.push(what);
  };
  const outbox = createOutbox({
    hold: (_session, text) => unread.hold('reader', text),
    onBehind: note('behind'),
    onBuffered: () => {},
    onLevel: note('level'),
    onFlooded: note('flooded'),
  });
  return { outbox, session, happened };
}

describe('a client that reads', () => {
  test('gets everything in order, and nothing is queued', () => {
    const wire = fakeWire();
    const { outbox, session, happened } = outboxOf(wire);
    outbox.answer(session, 'a');
    outbox.update(session, 'cpu', 'b');
    outbox.answer(session, 'c');
    expect(wire.received).toEqual(['a', 'b', 'c']);
    expect(session.backlog).toBeNull();
    expect(happened).toEqual([]);
  });
});

describe('a client that stops reading', () => {
  test('gets every answer, and the newest update of each module, when it reads again', () => {
    const wire = fakeWire();
    const { outbox, session, happened } = outboxOf(wire);
    wire.stall();
    outbox.update(session, 'cpu', 'cpu 1');
    expect(happened).toEqual(['behind']);
    outbox.update(session, 'cpu', 'cpu 2');
    outbox.answer(session, 'answer 1');
    outbox.update(session, 'memory', 'memory 1');
    outbox.update(session, 'cpu', 'cpu 3');
    outbox.answer(session, 'answer 2');
    wire.unstall();
    outbox.drained(session);
    expect(wire.received).toEqual(['cpu 1', 'answer 1', 'answer 2', 'cpu 3', 'memory 1']);
    expect(happened).toEqual(['behind', 'level']);
    expect(session.backlog).toBeNull();
  });

  test("has one message in the runtime's buffer, however many are sent", () => {
    const wire = fakeWire();
    const { outbox, session } = outboxOf(wire);
    wire.stall();
    for (let count = 0; count < 1000; count++) outbox.update(session, 'cpu', `${count}`.padEnd(1000));
    expect(wire.getBufferedAmount()).toBe(1000);
    expect(session.backlog?.updates.size).toBe(1);
  });

  test('that takes one message at a time gets them one by one', () => {
    const wire = fakeWire();
    const { outbox, session, happened } = outboxOf(wire);
    wire.stall();
    for (const text of ['a', 'b', 'c']) outbox.answer(session, text);
    for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      wire.unstall();
      expect(wire.received).toEqual(expected);
      wire.stall();
      outbox.drained(session);
    }
    expect(happened).toEqual(['behind', 'level']);
  });

  test('exceeds the limit of unread answers once', () => {
    const wire = fakeWire();
    const { outbox, session, happened } = outboxOf(wire);
    wire.stall();
    const text = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 5; count++) outbox.answer(session, text);
    expect(happened).toEqual(['behind']);
    outbox.answer(session, text);
    expect(happened).toEqual(['behind', 'flooded']);
  });

  test('holds what waits, until it is written, replaced or dropped', () => {
    const wire = fakeWire();
    const unread = createUnreadBudget(200);
    const { outbox, session, happened } = outboxOf(wire, unread);
    const hasRoomFor = (length: number) => {
      const release = unread.hold('reader', length);
      release?.();
      return release !== null;
    };
    wire.stall();
    outbox.update(session, 'cpu', '0');
    for (let count = 0; count < 10; count++) outbox.update(session, 'cpu', `${count}`.padEnd(100));
    expect(hasRoomFor(1)).toBe(false);
    outbox.withdraw(session, 'cpu');
    outbox.answer(session, 'x'.repeat(100));
    expect(happened).toEqual(['behind']);
    outbox.answer(session, 'y');
    expect(happened).toEqual(['behind', 'flooded']);
    wire.unstall();
    outbox.drained(session);
    expect(hasRoomFor(100)).toBe(true);
  });

  test('delivery resolves when everything is written', async () => {
    const wire = fakeWire();
    const { outbox, session } = outboxOf(wire);
    await outbox.delivered(session);
    wire.stall();
    outbox.answer(session, 'last words');
    let delivered = false;
    const done = outbox.delivered(session).then(() => {
      delivered = true;
    });
    await Promise.resolve();
    expect(delivered).toBe(false);
    wire.unstall();
    outbox.drained(session);
    await done;
    expect(wire.received).toEqual(['last words']);
  });
});

test('nothing is sent on a closed connection', () => {
  const wire = fakeWire();
  const { outbox, session } = outboxOf(wire);
  session.closed = true;
  outbox.answer(session, 'a');
  outbox.update(session, 'cpu', 'b');
  expect(wire.received).toEqual([]);
});
