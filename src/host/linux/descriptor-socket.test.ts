import { expect, test } from 'bun:test';
import { createReceived } from './descriptor-socket.ts';

test('descriptors are taken in order, and those that nothing takes are closed above a limit', () => {
  const closed: number[] = [];
  const received = createReceived((descriptor) => closed.push(descriptor));
  for (let first = 0; first < 1000; first += 100)
    received.add(Array.from({ length: 100 }, (_, index) => first + index));
  expect(closed).toHaveLength(936);
  expect([received.take(), received.take()]).toEqual([0, 1]);
  received.add([1000, 1001, 1002]);
  expect(closed.slice(936)).toEqual([1002]);
});
