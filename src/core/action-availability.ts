import type { ActionDefinition, ActionParts } from './action.ts';

/** Whether actions would work here: finding out may mean connections to the desktop, and anybody who may read may ask. */
export type ActionLooks = (action: Pick<ActionDefinition, 'unavailable'>) => Promise<string | null>;

/** An answer is good for so long, ms. */
const keptMs = 1000;
/** One that takes longer hangs, and the next to ask does not wait for it, ms. */
const hangsMs = 10_000;

interface Look {
  answer: Promise<string | null>;
  settings: unknown;
  /** Until when others share it. */
  until: number;
}

/** One look at a time for all who ask, and for all actions that look in the same way. Changed settings count at once. */
export function createActionLooks(parts: Pick<ActionParts, 'host' | 'log' | 'settings'>): ActionLooks {
  const { monotonic } = parts.host.clock;
  const looks = new Map<ActionDefinition['unavailable'], Look>();
  return (action) => {
    // It gets nothing that tells one action from another.
    const way = action.unavailable;
    const settings = parts.settings();
    const known = looks.get(way);
    if (known !== undefined && known.settings === settings && monotonic() < known.until) return known.answer;
    const look: Look = { answer: action.unavailable(parts), settings, until: monotonic() + hangsMs };
    looks.set(way, look);
    look.answer.then(
      () => {
        look.until = Math.min(look.until, monotonic() + keptMs);
      },
      () => {
        look.until = Number.NEGATIVE_INFINITY;
      },
    );
    return look.answer;
  };
}
