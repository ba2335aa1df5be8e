import type { ActionDefinition, ActionParts } from './action.ts';

/** Checks whether actions would work here. A check may open connections to the desktop, and every caller that may read can request one. */
export type AvailabilityCheck = (action: Pick<ActionDefinition, 'unavailable'>) => Promise<string | null>;

/** How long a result is valid, ms. */
const validMs = 1000;
/** A check that takes longer is taken to hang, and the next caller starts a new one, ms. */
const hangsMs = 10_000;

interface Check {
  result: Promise<string | null>;
  settings: unknown;
  /** Until when other callers share it. */
  until: number;
}

/** One check at a time, shared by all callers and all actions with the same check. A change of settings invalidates it. */
export function createAvailabilityCheck(parts: Pick<ActionParts, 'host' | 'log' | 'settings'>): AvailabilityCheck {
  const { monotonic } = parts.host.clock;
  const checks = new Map<ActionDefinition['unavailable'], Check>();
  return (action) => {
    // The check gets nothing that depends on the action.
    const key = action.unavailable;
    const settings = parts.settings();
    const known = checks.get(key);
    if (known !== undefined && known.settings === settings && monotonic() < known.until) return known.result;
    const check: Check = { result: action.unavailable(parts), settings, until: monotonic() + hangsMs };
    checks.set(key, check);
    check.result.then(
      () => {
        check.until = Math.min(check.until, monotonic() + validMs);
      },
      () => {
        check.until = Number.NEGATIVE_INFINITY;
      },
    );
    return check.result;
  };
}
