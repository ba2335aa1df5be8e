/** How long those who ask have to wait before the user is asked again, after questions that were denied, withdrawn or not answered. */
export interface Pauses {
  /** null: the user may be asked now; else the seconds until then. */
  refuse(asker: string): number | null;
  /** A question came to nothing. */
  note(asker: string): void;
}

export interface QuestionPace {
  /** Failures that cost nothing. */
  free: number;
  /** The pause after the first one that counts; each further one doubles it. */
  firstMs: number;
  mostMs: number;
  /** When the pause is over, failures are forgiven at this pace: one in this time. */
  forgiveMs: number;
}

export interface Paces {
  perAsker: QuestionPace;
  /** For several that take turns. */
  overall: QuestionPace;
  /** Askers that are remembered; the oldest entry goes first. */
  most: number;
}

export function createPauses({ perAsker, overall, most }: Paces, monotonic: () => number): Pauses {
  const askers = new Map<string, Failures>();
  let all: Failures | undefined;
  return {
    refuse(asker) {
      const now = monotonic();
      const rest = Math.max(restMs(askers.get(asker), perAsker, now), restMs(all, overall, now));
      return rest > 0 ? Math.ceil(rest / 1000) : null;
    },
    note(asker) {
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

function restMs(failures: Failures | undefined, pace: QuestionPace, now: number): number {
  return failures === undefined ? 0 : failures.at + pauseMs(failures, pace) - now;
}

function pauseMs({ count }: Failures, { free, firstMs, mostMs }: QuestionPace): number {
  return count <= free ? 0 : Math.min(mostMs, firstMs * 2 ** (count - free - 1));
}

function oneMore(failures: Failures | undefined, pace: QuestionPace, now: number): Failures {
  const forgiven = failures === undefined ? 0 : Math.max(0, -restMs(failures, pace, now)) / pace.forgiveMs;
  const left = Math.max(0, (failures?.count ?? 0) - forgiven);
  // More would only take longer to be forgiven.
  const most = pace.free + 1 + Math.ceil(Math.log2(pace.mostMs / pace.firstMs));
  return { count: Math.min(most, left + 1), at: now };
}
