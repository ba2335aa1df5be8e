import type { Clock } from '../../lib/clock.ts';
import { networkOf } from './budgets.ts';

/** Keeps strangers who send one request after the other from having all of the time of this service. Nothing runs while nobody comes. */
export interface StrangersTurn {
  /** Asked for each request. False: enough were answered for this address in this turn; only somebody with a token still is. */
  admits(address: () => string): boolean;
}

export interface StrangersTurnLimits {
  free: number;
  perAddress: number;
  ms: number;
  msInAll: number;
}

export function createStrangersTurn(
  { free, perAddress, ms, msInAll }: StrangersTurnLimits,
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
): StrangersTurn {
  let count = 0;
  let since = 0;
  const byNetwork = new Map<string, number>();

  const begin = () => {
    since = monotonic();
    after(0, () => {
      count = 0;
      byNetwork.clear();
    });
  };

  return {
    admits(address) {
      if (count++ === 0) begin();
      if (count <= free) return true;
      const network = networkOf(address());
      const mine = (byNetwork.get(network) ?? 0) + 1;
      byNetwork.set(network, mine);
      const lasted = monotonic() - since;
      return lasted <= ms || mine <= (lasted <= msInAll ? perAddress : 1);
    },
  };
}
