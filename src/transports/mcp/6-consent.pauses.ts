/** How long agents have to wait before the user is asked again, after questions that were denied, withdrawn or not answered. */
export interface QuestionPauses {
  /** null: the user may be asked now; else the seconds until then. */
  refuse(tokenId: string): number | null;
  /** A question came to nothing. */
  note(tokenId: string): void;
}

interface Pace {
  /** Failures that cost nothing. */
  free: number;
  /** The pause after the first one that counts; each further one doubles it. */
  firstMs: number;
  mostMs: number;
  /** When the pause is over, failures are forgiven at this pace: one in this time. */
  forgiveMs: number;
}

/** 10, 20, 40 s … 15 minutes: one question in 8 s, ten in the first hour, four in each hour after that. */
const perToken: Pace = { free: 0, firstMs: 10_000, mostMs: 15 * 60_000, forgiveMs: 10 * 60_000 };
/** For several that take turns. Gentle enough that one of them alone hardly ever keeps the others from asking. */
const overall: Pace = { free: 3, firstMs: 10_000, mostMs: 5 * 60_000, forgiveMs: 60_000 };
/** Tokens are at most a hundred; the oldest entry goes first. */
const maxTokens = 1024;

export function createQuestionPauses(monotonic: () => number): QuestionPauses {
  const tokens = new Map<string, Failures>();
  let all: Failures | undefined;
  return {
    refuse(tokenId) {
      const now = monotonic();
      const rest = Math.max(restMs(tokens.get(tokenId), perToken, now), restMs(all, overall, now));
      return rest > 0 ? Math.ceil(rest / 1000) : null;
    },
    note(tokenId) {
      const now = monotonic();
      const failures = oneMore(tokens.get(tokenId), perToken, now);
      tokens.delete(tokenId);
      tokens.set(tokenId, failures);
      if (tokens.size > maxTokens) tokens.delete(tokens.keys().next().value ?? tokenId);
      all = oneMore(all, overall, now);
    },
  };
}

interface Failures {
  count: number;
  at: number;
}

function restMs(failures: Failures | undefined, pace: Pace, now: number): number {
  return failures === undefined ? 0 : failures.at + pauseMs(failures, pace) - now;
}

function pauseMs({ count }: Failures, { free, firstMs, mostMs }: Pace): number {
  return count <= free ? 0 : Math.min(mostMs, firstMs * 2 ** (count - free - 1));
}

function oneMore(failures: Failures | undefined, pace: Pace, now: number): Failures {
  const forgiven = failures === undefined ? 0 : Math.max(0, -restMs(failures, pace, now)) / pace.forgiveMs;
  const left = Math.max(0, (failures?.count ?? 0) - forgiven);
  // More would only take longer to be forgiven.
  const most = pace.free + 1 + Math.ceil(Math.log2(pace.mostMs / pace.firstMs));
  return { count: Math.min(most, left + 1), at: now };
}
