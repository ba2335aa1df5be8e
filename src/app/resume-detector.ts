import type { Audience } from '../core/action.ts';
import type { Host } from '../host/host.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';

/** A look every second finds a resume soon enough. */
const lookEveryMs = 1000;
/** The wall clock went on while we did not, or somebody set it. */
const jumpMs = 2000;

/**
 * Notices that the machine slept: its wall clock has moved, and the clock of our timers has not. The system tells when to look, where it can:
 * a look every second costs as much as all the rest of a listener who hears of little. Runs only while somebody listens. Returns the way to stop.
 */
export function watchWake(
  { clock, wallClock }: Pick<Host, 'clock' | 'wallClock'>,
  timers: SharedTimers,
  audience: Pick<Audience, 'count' | 'onChange'>,
  woke: () => void,
): () => void {
  let stop: (() => void) | null = null;
  let lead = 0;

  const leadNow = () => clock.now() - clock.monotonic();

  const look = () => {
    const now = leadNow();
    const jumped = Math.abs(now - lead) >= jumpMs;
    // Small corrections of the clock add up over the months: each is measured against the last look.
    lead = now;
    if (jumped) woke();
  };

  /** On the same moments as the modules that are read every second. */
  const lookAllTheTime = (): (() => void) => {
    let cancel = () => {};
    const next = () => {
      cancel = timers.next(lookEveryMs, () => {
        next();
        look();
      });
    };
    next();
    return () => cancel();
  };

  const begin = (): (() => void) => {
    let stopLooking = lookAllTheTime();
    let stopHearing = () => {};
    let isOver = false;
    const listening = (stopListening: () => void) => {
      stopLooking();
      stopHearing = stopListening;
      // It may have been moved just before.
      look();
    };
    const lost = () => {
      if (isOver) return;
      stopLooking = lookAllTheTime();
      look();
    };
    void wallClock?.(look, lost).then(
      (stopListening) => (isOver ? stopListening() : listening(stopListening)),
      () => {},
    );
    return () => {
      isOver = true;
      stopLooking();
      stopHearing();
    };
  };

  const follow = () => {
    if (audience.count() === 0) {
      stop?.();
      stop = null;
    } else if (stop === null) {
      lead = leadNow();
      stop = begin();
    }
  };

  const stopFollowing = audience.onChange(follow);
  follow();
  return () => {
    stopFollowing();
    stop?.();
  };
}
