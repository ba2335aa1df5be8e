import type { Clock } from '../../lib/clock.ts';
import { firstOfMost } from '../../lib/fair-share.ts';
import type { Later } from '../../lib/later.ts';
import { networkOf } from './budgets.ts';

/** A few places for strangers. Whoever finds none waits in line, and those who hold one without using it make room. */
export interface StrangersDoor {
  /** A place; null: too many wait already, or it took too long, or whoever asked has gone. `gone` is asked for only if there is a wait. */
  enter(address: string, gone: () => AbortSignal): Later<Place | null>;
}

export interface Place {
  /** How to show its holder out, once it has had its moment and others wait. */
  onEvict(evict: () => void): void;
  /** It is not a stranger any more, or not here. A second time does nothing. */
  leave(): void;
}

export interface DoorLimits {
  sockets: { inAll: number; perAddress: number };
  waiting: { inAll: number; perAddress: number; ms: number };
  momentMs: number;
}

interface Held {
  network: string;
  since: number;
  evict: (() => void) | null;
}

interface Waiter {
  network: string;
  settle(place: Place | null): void;
}

const lookEveryMs = 100;

export function createDoor(
  { sockets, waiting, momentMs }: DoorLimits,
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
): StrangersDoor {
  /** The oldest first. */
  const held = new Set<Held>();
  const line = new Set<Waiter>();
  let cancelLook: (() => void) | null = null;

  const isFull = (network: string) => held.size >= sockets.inAll || countOf(held, network) >= sockets.perAddress;

  const take = (network: string): Place => {
    const mine: Held = { network, since: monotonic(), evict: null };
    held.add(mine);
    return {
      onEvict(evict) {
        mine.evict = evict;
      },
      leave() {
        if (held.delete(mine)) letIn();
      },
    };
  };

  /** Whoever came first, unless its address has its share. */
  const letIn = () => {
    for (const waiter of line) {
      if (held.size >= sockets.inAll) return;
      if (isFull(waiter.network)) continue;
      line.delete(waiter);
      waiter.settle(take(waiter.network));
    }
  };

  const look = () => {
    cancelLook = null;
    for (const waiter of [...line]) if (line.has(waiter)) makeRoomFor(waiter);
    if (line.size > 0) cancelLook = after(lookEveryMs, look);
  };

  /** Of the same address where that one is full, else of the one that has most. */
  const makeRoomFor = ({ network }: Waiter) => {
    const crowded =
      countOf(held, network) >= sockets.perAddress ? network : firstOfMost(held, (holder) => holder.network)?.network;
    const now = monotonic();
    for (const holder of held) {
      if (holder.network !== crowded || holder.evict === null || now - holder.since < momentMs) continue;
      return holder.evict();
    }
  };

  const wait = (network: string, gone: AbortSignal): Promise<Place | null> =>
    new Promise((resolve) => {
      const giveUp = () => waiter.settle(null);
      const waiter: Waiter = {
        network,
        settle(place) {
          line.delete(waiter);
          cancelTimer();
          gone.removeEventListener('abort', giveUp);
          if (line.size === 0) {
            cancelLook?.();
            cancelLook = null;
          }
          resolve(place);
        },
      };
      const cancelTimer = after(waiting.ms, giveUp);
      gone.addEventListener('abort', giveUp);
      line.add(waiter);
      cancelLook ??= after(lookEveryMs, look);
    });

  return {
    enter(address, gone) {
      const network = networkOf(address);
      // Those in line come first; those of an address that has its share hold up nobody else.
      if (!isFull(network) && countOf(line, network) === 0) return take(network);
      if (line.size >= waiting.inAll || countOf(line, network) >= waiting.perAddress) return null;
      return wait(network, gone());
    },
  };
}

function countOf(those: Iterable<{ network: string }>, network: string): number {
  let count = 0;
  for (const one of those) if (one.network === network) count++;
  return count;
}
