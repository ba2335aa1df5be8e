import { budgets } from '../../access/limits/budgets.ts';
import { createBuckets } from '../../lib/token-buckets.ts';

/** There are at most a hundred tokens; the oldest entry is evicted first. */
const maxEntries = 1024;

export type CallLimits = ReturnType<typeof createCallLimits>;

/** Rate limit per token: a token bucket, and for some tools a pause between two calls. */
export function createCallLimits(monotonic: () => number) {
  const buckets = createBuckets(budgets.caller.calls, monotonic);
  const lastCalls = new Map<string, number>();
  return {
    /** null: allowed; else the seconds to wait. */
    refuse: buckets.refuse,
    refuseTool(tokenId: string, tool: string, everyMs: number): number | null {
      const key = `${tokenId} ${tool}`;
      const now = monotonic();
      const rest = (lastCalls.get(key) ?? Number.NEGATIVE_INFINITY) + everyMs - now;
      if (rest > 0) return Math.ceil(rest / 1000);
      lastCalls.delete(key);
      lastCalls.set(key, now);
      if (lastCalls.size > maxEntries) lastCalls.delete(lastCalls.keys().next().value ?? key);
      return null;
    },
  };
}
