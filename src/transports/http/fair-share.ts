import type { Clock } from '../../lib/clock.ts';
import type { Later } from '../../lib/later.ts';
import { createWorkQueue } from '../ws/work-queue.ts';

/**
 * Divides the event loop among tokens. The runtime hands over all requests that a connection has sent, and reads on while more arrive:
 * without a limit, one connection that pipelines requests delays every other one.
 */
export interface FairShare {
  /** `answer` runs at once, or `answerLater` in a later turn. null: refuse the request and close its connection. */
  take<T>(from: Requester, answer: () => Later<T>, answerLater: () => Later<T>): Later<T> | null;
}

export interface Requester {
  /** Whose share it is. Names are not unique. */
  tokenId: string;
  /** Two requests of one connection in a turn are pipelined. */
  connection: string;
}

export interface FairShareLimits {
  free: number;
  ms: number;
  waiting: number;
  waitingInAll: number;
}

export function createFairShare(
  { free, ms, waiting, waitingInAll }: FairShareLimits,
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
): FairShare {
  const soon = (callback: () => void) => void after(0, callback);
  const most = { each: waiting, size: waitingInAll };
  const queue = createWorkQueue<string>({ turnMs: ms, most, monotonic, soon });
  const byToken = new Map<string, number>();
  const connections = new Set<string>();
  let since = 0;

  const beginTurn = () => {
    since = monotonic();
    soon(() => {
      byToken.clear();
      connections.clear();
    });
  };

  return {
    take<T>({ tokenId, connection }: Requester, answer: () => Later<T>, answerLater: () => Later<T>) {
      if (byToken.size === 0) beginTurn();
      const count = (byToken.get(tokenId) ?? 0) + 1;
      byToken.set(tokenId, count);
      const isPipelined = connections.has(connection);
      connections.add(connection);
      if (count <= free || monotonic() - since <= ms) return answer();
      // The runtime closes a connection that pipelines behind a deferred answer, without a reason: a refusal has one.
      if (isPipelined) return null;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      return queue.run(tokenId, 1, () => void Promise.try(answerLater).then(resolve, reject)) ? promise : null;
    },
  };
}
