import type { Clock } from '../lib/clock.ts';
import { settledWithin } from '../lib/clock.ts';
import { createListeners } from '../lib/listeners.ts';
import type { Subscribers } from './action.ts';
import type { Store } from './store.ts';

/** A subscriber on a lasting connection. */
export interface Subscriber {
  /** Resolves when everything sent to it so far was passed to the system. */
  delivered(): Promise<void>;
  /** It detects by other means that the machine has slept, so it needs no check every second. */
  noticesWaking?: boolean;
}

/** The subscribers, as transports see them. */
export interface SubscriberRegistry extends Subscribers {
  join(member: Subscriber): () => void;
  /** Subscribers that do not detect sleep. */
  unaware(): number;
}

export function createSubscribers(store: Pick<Store, 'refresh'>, clock: Clock): SubscriberRegistry {
  const members = new Set<Subscriber>();
  const { add, announce } = createListeners();
  const unaware = () => [...members].filter(({ noticesWaking }) => noticesWaking !== true).length;
  return {
    count: () => members.size,
    unaware,
    onChange: add,
    async refresh(limitMs) {
      const delivered = async () => {
        await store.refresh();
        await Promise.all([...members].map((member) => member.delivered()));
      };
      await settledWithin(clock, delivered(), limitMs);
    },
    join(member) {
      const isFirst = members.size === 0 || (member.noticesWaking !== true && unaware() === 0);
      members.add(member);
      if (isFirst) announce();
      return () => {
        if (!members.delete(member)) return;
        if (members.size === 0 || (member.noticesWaking !== true && unaware() === 0)) announce();
      };
    },
  };
}
