import type { Clock } from '../../lib/clock.ts';

/** The wall clock went on while we did not, or somebody set it. */
const jumpMs = 5000;

/** Whether the machine has slept since the last `begin()`. What was on its way meanwhile arrives at the waking, whatever it was. */
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
