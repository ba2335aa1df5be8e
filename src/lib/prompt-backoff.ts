export interface PromptPace {
  /** Failures without a pause. */
  free: number;
  /** The pause after the first counted failure; each further one doubles it. */
  firstMs: number;
  mostMs: number;
  /** After the pause, failures expire at this rate: one in this time. */
  forgiveMs: number;
}

export interface Paces {
  perAsker: PromptPace;
  /** For several clients that alternate. */
  overall: PromptPace;
  /** Remembered clients; the oldest entry is dropped first. */
  most: number;
}

/** Of the prompts that clients with a token cause. */
export const clientPaces: Paces = {
  /** 10, 20, 40 s … 15 minutes: one prompt in 8 s, ten in the first hour, four in each hour after that. */
  perAsker: { free: 0, firstMs: 10_000, mostMs: 15 * 60_000, forgiveMs: 10 * 60_000 },
  /** Low enough that one token alone hardly ever blocks the others. */
  overall: { free: 3, firstMs: 10_000, mostMs: 5 * 60_000, forgiveMs: 60_000 },
  /** There are at most a hundred tokens. */
  most: 1024,
};

/** How long a client waits before it may prompt the user again, after prompts that were denied, withdrawn or not answered. */
export function createPauses({ perAsker, overall, most }: Paces, monotonic: () => number) {
  const askers = new Map<string, Failures>();
  let all: Failures | undefined;
  return {
    /** null: a prompt is allowed now; else the seconds until then. */
    refuse(asker: string): number | null {
      const now = monotonic();
      const rest = Math.max(restMs(askers.get(asker), perAsker, now), restMs(all, overall, now));
      return rest > 0 ? Math.ceil(rest / 1000) : null;
    },
    /** A prompt was denied, withdrawn or not answered. */
    note(asker: string): void {
      const now = monotonic();
      const failures = oneMore(askers.get(asker), perAsker, now);
      askers.delete(asker);
      askers.set(asker, failures);
      if (askers.size > most) askers.delete(askers.keys().next().value ?? asker);
      all = oneMore(all, overall, now);
    },
  };
}

interface Failures {
  count: number;
  at: number;
}

function restMs(failures: Failures | undefined, pace: PromptPace, now: number): number {
  return failures === undefined ? 0 : failures.at + pauseMs(failures, pace) - now;
}

function pauseMs({ count }: Failures, { free, firstMs, mostMs }: PromptPace): number {
  return count <= free ? 0 : Math.min(mostMs, firstMs * 2 ** (count - free - 1));
}

function oneMore(failures: Failures | undefined, pace: PromptPace, now: number): Failures {
  const forgiven = failures === undefined ? 0 : Math.max(0, -restMs(failures, pace, now)) / pace.forgiveMs;
  const left = Math.max(0, (failures?.count ?? 0) - forgiven);
  const most = pace.free + 1 + Math.ceil(Math.log2(pace.mostMs / pace.firstMs));
  return { count: Math.min(most, left + 1), at: now };
}
