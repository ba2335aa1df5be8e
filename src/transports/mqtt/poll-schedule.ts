import type { Clock } from '../../lib/clock.ts';
import { createSharedTimers } from '../../lib/shared-timers.ts';
import type { ModulePublisher } from './publisher.ts';

/** Polls modules with the same interval together, at multiples of the interval, to save wake-ups. Returns the function that stops it. */
export function startPolling(
  clock: Clock,
  publishers: readonly Pick<ModulePublisher, 'everySeconds' | 'poll'>[],
  /** Called before each poll; false skips it. */
  isWanted: () => boolean,
): () => void {
  const timers = createSharedTimers(clock);
  const cancels = [...Map.groupBy(publishers, ({ everySeconds }) => everySeconds)].map(([everySeconds, group]) => {
    let cancel = () => {};
    const next = () => {
      cancel = timers.next(everySeconds * 1000, () => {
        next();
        if (isWanted()) for (const publisher of group) void publisher.poll();
      });
    };
    next();
    return () => cancel();
  });
  return () => {
    for (const cancel of cancels) cancel();
  };
}
