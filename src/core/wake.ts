import type { Clock } from '../lib/clock.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Audience } from './action.ts';

/** A look every second finds a resume soon enough. */
const lookEveryMs = 1000;
/** The wall clock went on while we did not, or somebody set it. */
const jumpMs = 2000;

/**
 * Notices that the machine slept: its wall clock has moved, and the clock of our timers has not. Needs nobody to announce it, and runs only
 * while somebody listens. Returns the way to stop.
 */
export function watchWake(
  clock: Clock,
  timers: SharedTimers,
  audience: Pick<Audience, 'count' | 'onChange'>,
  woke: () => void,
): () => void {
  let cancel: (() => void) | null = null;
  let lead = 0;

  const leadNow = () => clock.now() - clock.monotonic();

  const look = () => {
    const now = leadNow();
    const jumped = Math.abs(now - lead) >= jumpMs;
    // Small corrections of the clock add up over the months: each is measured against the last look.
    lead = now;
    schedule();
    if (jumped) woke();
  };

  /** On the same moments as the modules that are read every second. */
  const schedule = () => {
    cancel = timers.next(lookEveryMs, look);
  };

  const follow = () => {
    if (audience.count() === 0) {
      cancel?.();
      cancel = null;
    } else if (cancel === null) {
      lead = leadNow();
      schedule();
    }
  };

  const stopFollowing = audience.onChange(follow);
  follow();
  return () => {
    stopFollowing();
    cancel?.();
  };
}
