import type { Clock } from '../../lib/clock.ts';
import { createSharedTimers } from '../../lib/shared-timers.ts';
import type { ModulePublisher } from './publisher.ts';

/** Modules that are looked at equally often are looked at together, and all of them at multiples of their intervals: few wake-ups. Returns the way to end it. */
export function startRounds(
  clock: Clock,
  publishers: readonly Pick<ModulePublisher, 'everySeconds' | 'look'>[],
  /** Asked before each round. */
  isWanted: () => boolean,
): () => void {
  const timers = createSharedTimers(clock);
  const cancels = [...Map.groupBy(publishers, ({ everySeconds }) => everySeconds)].map(([everySeconds, group]) => {
    let cancel = () => {};
    const next = () => {
      cancel = timers.next(everySeconds * 1000, () => {
        next();
        if (isWanted()) for (const publisher of group) void publisher.look();
      });
    };
    next();
    return () => cancel();
  });
  return () => {
    for (const cancel of cancels) cancel();
  };
}
