import { type Clock, repeatedly } from '../../lib/clock.ts';
import { stopAll } from '../../lib/closing.ts';
import { createSharedTimers, type SharedTimers } from '../../lib/shared-timers.ts';
import type { EntityReader } from './entity-reader.ts';

/** Polls modules with the same interval together, at multiples of the interval, to save wake-ups. Returns the function that stops it. */
export function startPolling(
  clock: Clock,
  readers: readonly Pick<EntityReader, 'everySeconds' | 'poll'>[],
  /** Called before each poll; false skips it. */
  isWanted: () => boolean,
  timers: SharedTimers = createSharedTimers(clock),
): () => void {
  const cancels = [...Map.groupBy(readers, ({ everySeconds }) => everySeconds)].map(([everySeconds, group]) => {
    const poll = () => {
      if (isWanted()) for (const reader of group) void reader.poll();
    };
    return repeatedly((then) => timers.next(everySeconds * 1000, then), poll);
  });
  return stopAll(cancels);
}
