import { budgets } from '../../access/budgets.ts';

/** How often one token may call: a bucket that fills again, and for some tools a pause between two calls. */
export interface CallLimits {
  /** null: it may; else the seconds to wait. */
  refuse(tokenId: string): number | null;
  refuseTool(tokenId: string, tool: string, everyMs: number): number | null;
}

const { perSecond, burst } = budgets.caller.calls;
/** Tokens are at most a hundred; the oldest entry goes first. */
const maxEntries = 1024;

export function createCallLimits(monotonic: () => number): CallLimits {
  const buckets = new Map<string, { left: number; at: number }>();
  const lastCalls = new Map<string, number>();
  const remember = <T>(map: Map<string, T>, key: string, value: T) => {
    map.delete(key);
    map.set(key, value);
    if (map.size > maxEntries) map.delete(map.keys().next().value ?? key);
  };
  return {
    refuse(tokenId) {
      const now = monotonic();
      const { left, at } = buckets.get(tokenId) ?? { left: burst, at: now };
      const filled = Math.min(burst, left + ((now - at) / 1000) * perSecond);
      const may = filled >= 1;
      remember(buckets, tokenId, { left: may ? filled - 1 : filled, at: now });
      return may ? null : Math.ceil(((1 - filled) / perSecond) * 10) / 10;
    },
    refuseTool(tokenId, tool, everyMs) {
      const key = `${tokenId} ${tool}`;
      const now = monotonic();
      const rest = (lastCalls.get(key) ?? Number.NEGATIVE_INFINITY) + everyMs - now;
      if (rest > 0) return Math.ceil(rest / 1000);
      remember(lastCalls, key, now);
      return null;
    },
  };
}
