import type { Subscribers } from '../core/action.ts';
import type { Host } from '../host/host.ts';
import { repeatedly } from '../lib/clock.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';

/** A check every second finds a resume soon enough. */
const lookEveryMs = 1000;
/** The wall clock advanced while this process did not run, or it was set. */
const jumpMs = 2000;

/**
 * Detects that the machine slept: its wall clock has moved, and the clock of our timers has not. The system announces when to check, if it
 * can: a check every second costs as much as everything else for a listener with few updates. Runs only while there are listeners. Returns
 * the function that stops it.
 */
export function watchWake(
  { clock, wallClock }: Pick<Host, 'clock' | 'wallClock'>,
  timers: SharedTimers,
  subscribers: Pick<Subscribers, 'count' | 'onChange'>,
  woke: () => void,
): () => void {
  let stop: (() => void) | null = null;
  let lead = 0;

  const leadNow = () => clock.now() - clock.monotonic();

  const check = () => {
    const now = leadNow();
    const jumped = Math.abs(now - lead) >= jumpMs;
    // Small corrections of the clock add up over months, so each check compares with the previous one.
    lead = now;
    if (jumped) woke();
  };

  /** At the same moments as the modules that are read every second. */
  const lookAllTheTime = () => repeatedly((then) => timers.next(lookEveryMs, then), check);

  const begin = (): (() => void) => {
    let stopLooking = lookAllTheTime();
    let stopHearing = () => {};
    let isOver = false;
    const listening = (stopListening: () => void) => {
      stopLooking();
      stopHearing = stopListening;
      // It may have been moved just before.
      check();
    };
    const lost = () => {
      if (isOver) return;
      stopLooking = lookAllTheTime();
      check();
    };
    void wallClock?.(check, lost).then(
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
    if (subscribers.count() === 0) {
      stop?.();
      stop = null;
    } else if (stop === null) {
      lead = leadNow();
      stop = begin();
    }
  };

  const stopFollowing = subscribers.onChange(follow);
  follow();
  return () => {
    stopFollowing();
    stop?.();
  };
}
