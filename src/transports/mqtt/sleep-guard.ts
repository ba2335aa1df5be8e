import type { Clock } from '../../lib/clock.ts';

/** The wall clock advanced while the process did not, or it was set. */
const jumpMs = 5000;

/** Whether the machine has slept since the last `begin()`. Messages sent meanwhile arrive after resume. */
export function createSleepGuard({ now, monotonic }: Pick<Clock, 'now' | 'monotonic'>) {
  const leadNow = () => now() - monotonic();
  let lead = leadNow();
  let slept = false;
  return {
    begin() {
      lead = leadNow();
      slept = false;
    },
    hasSlept(): boolean {
      const current = leadNow();
      if (Math.abs(current - lead) >= jumpMs) slept = true;
      // Small corrections of the clock add up over the months.
      lead = current;
      return slept;
    },
  };
}
