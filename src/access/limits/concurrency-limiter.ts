import { ServiceError } from '../../lib/errors.ts';
import { firstOfMost } from '../../lib/fair-share.ts';
import { networkOf } from './budgets.ts';

/**
 * Limits concurrent work, in all and per address or token. Above a limit the longest-running work is evicted: that of the same owner, or of
 * the owner with most. Clients that start work and never finish it cannot block others.
 */
export interface Quota {
  /** Runs the work. Rejects with rate_limited if it was evicted; `evicted` is aborted then. */
  run<T>(address: string, work: (evicted: AbortSignal) => Promise<T>): Promise<T>;
}

interface Running {
  network: string;
  giveUp(): void;
}

export function createQuota({ inAll, perAddress }: { inAll: number; perAddress: number }): Quota {
  /** The oldest first. */
  const running = new Set<Running>();

  const makeRoom = (network: string) => {
    const own = [...running].filter((one) => one.network === network);
    if (own.length >= perAddress) own[0]?.giveUp();
    else if (running.size >= inAll) firstOfMost(running, (one) => one.network)?.giveUp();
  };

  return {
    async run(address, work) {
      const network = networkOf(address);
      makeRoom(network);
      const { promise, reject } = Promise.withResolvers<never>();
      const evicted = new AbortController();
      const mine: Running = {
        network,
        giveUp() {
          running.delete(mine);
          evicted.abort();
          reject(
            new ServiceError('rate_limited', 'Too many requests of this kind are running; try again', {
              retryAfterSeconds: 1,
            }),
          );
        },
      };
      running.add(mine);
      try {
        return await Promise.race([work(evicted.signal), promise]);
      } finally {
        running.delete(mine);
      }
    },
  };
}
