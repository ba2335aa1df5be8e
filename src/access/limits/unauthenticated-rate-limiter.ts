import type { Clock } from '../../lib/clock.ts';
import { networkOf } from './budgets.ts';

/**
 * Bounds the time that requests without a valid token take in one turn of the event loop. The runtime hands over all requests that have arrived in one
 * turn, and one connection can send ten thousand of them in a second.
 */
export interface UnauthenticatedRateLimiter {
  /** Call it for every request. False: answer this request only if it carries a valid token. */
  admits(address: () => string): boolean;
}

export interface UnauthenticatedRateLimits {
  free: number;
  perAddress: number;
  ms: number;
  msInAll: number;
}

export function createUnauthenticatedRateLimiter(
  { free, perAddress, ms, msInAll }: UnauthenticatedRateLimits,
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
): UnauthenticatedRateLimiter {
  let count = 0;
  let since = 0;
  const byNetwork = new Map<string, number>();

  /** Reads the clock and sets a timer for one request in `free`: most requests only increment the count. */
  const measureTurn = () => {
    since = monotonic();
    after(0, () => {
      count = 0;
      byNetwork.clear();
    });
  };

  return {
    admits(address) {
      count++;
      if (count === free) measureTurn();
      if (count <= 2 * free) return true;
      const network = networkOf(address());
      const ofNetwork = (byNetwork.get(network) ?? 0) + 1;
      byNetwork.set(network, ofNetwork);
      const lasted = monotonic() - since;
      return lasted <= ms || ofNetwork <= (lasted <= msInAll ? perAddress : 1);
    },
  };
}
