import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createSubscribers } from './subscribers.ts';

test('a subscriber that detects sleep is listed, and needs no sleep detection', () => {
  const hall = createSubscribers({ refresh: async () => {} }, fakeClock());
  const seen: [number, number][] = [];
  hall.onChange(() => void seen.push([hall.count(), hall.unaware()]));
  const delivered = async () => {};
  const leaveFirst = hall.join({ delivered, noticesWaking: true });
  const leaveSecond = hall.join({ delivered });
  const leaveThird = hall.join({ delivered });
  leaveThird();
  leaveSecond();
  leaveFirst();
  leaveFirst();
  expect(seen).toEqual([
    [1, 0],
    [2, 1],
    [1, 0],
    [0, 0],
  ]);
});
