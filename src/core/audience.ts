import type { Clock } from '../lib/clock.ts';
import type { Audience } from './action.ts';
import type { Store } from './store.ts';

/** Somebody who listens over a lasting connection. */
export interface AudienceMember {
  /** Resolves when everything sent to it so far was handed to the system. */
  delivered(): Promise<void>;
}

/** What transports see of the audience: members come and go. */
export interface JoinableAudience extends Audience {
  join(member: AudienceMember): () => void;
}

export function createAudience(store: Pick<Store, 'refresh'>, clock: Clock): JoinableAudience {
  const members = new Set<AudienceMember>();
  const listeners = new Set<() => void>();
  const announce = () => {
    for (const listener of listeners) listener();
  };
  return {
    count: () => members.size,
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
      members.add(member);
      if (members.size === 1) announce();
      return () => {
        if (members.delete(member) && members.size === 0) announce();
      };
    },
  };
}
