import type { Clock } from '../lib/clock.ts';
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
  const listeners = new Set<() => void>();
  const unaware = () => [...members].filter(({ noticesWaking }) => noticesWaking !== true).length;
  const announce = () => {
    for (const listener of listeners) listener();
  };
  return {
    count: () => members.size,
    unaware,
    onChange(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    async refresh(limitMs) {
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(limitMs, late.resolve);
      const delivered = async () => {
        await store.refresh();
        await Promise.all([...members].map((member) => member.delivered()));
      };
      await Promise.race([delivered(), late.promise]);
      cancel();
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
