import type { Clock } from './clock.ts';

const rememberedMs = 5000;
/** Where appearance is announced, a lookup only finds missed announcements. */
const announcedMs = 30_000;

/** Caches for a while that something is absent, with the reason: a lookup costs more than reading something present. */
export function createAbsence<T>({ monotonic }: Pick<Clock, 'monotonic'>, isAnnounced: () => boolean = () => false) {
  let last: { what: T; at: number } | null = null;
  let news = 0;
  return {
    /** null: unknown, a lookup is needed. */
    known(): T | null {
      if (last === null) return null;
      return monotonic() - last.at < (isAnnounced() ? announcedMs : rememberedMs) ? last.what : null;
    },
    /** Starts a lookup; the returned function records the absence, unless an announcement came meanwhile. */
    look(): (what: T) => void {
      const before = news;
      return (what) => {
        if (news === before) last = { what, at: monotonic() };
      };
    },
    /** It may be present now. */
    forget(): void {
      news += 1;
      last = null;
    },
  };
}

/** The same for synchronous lookups: null is cached, anything else is looked up each time. */
export function unlessAbsent<T>(clock: Pick<Clock, 'monotonic'>, look: () => T | null): () => T | null {
  const absence = createAbsence<true>(clock);
  return () => {
    if (absence.known() !== null) return null;
    const note = absence.look();
    const found = look();
    if (found === null) note(true);
    return found;
  };
}
