import { ServiceError } from '../lib/errors.ts';
import { networkOf } from './budgets.ts';

/** Counts what goes on at the same time, in all and for each address. */
export interface Quota {
  /** Does the work, or throws rate_limited where too much goes on already. */
  run<T>(address: string, work: () => Promise<T>): Promise<T>;
}

export function createQuota({ inAll, perAddress }: { inAll: number; perAddress: number }): Quota {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    async run(address, work) {
      const network = networkOf(address);
      const mine = counts.get(network) ?? 0;
      if (all >= inAll || mine >= perAddress)
        throw new ServiceError('rate_limited', 'Too many ask this at the same time; try again', {
          retryAfterSeconds: 1,
        });
      all++;
      counts.set(network, mine + 1);
      try {
        return await work();
      } finally {
        all--;
        const left = (counts.get(network) ?? 1) - 1;
        if (left === 0) counts.delete(network);
        else counts.set(network, left);
      }
    },
  };
}
