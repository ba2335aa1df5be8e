import type { Clock } from '../../lib/clock.ts';
import type { Later } from '../../lib/later.ts';

/**
 * Places for WebSocket connections that have not shown a valid token. A network may hold as many places as are free, so
 * one network gets half of them and a few networks leave some to the next. Requests beyond that wait; a freed place goes to the waiting network that
 * holds fewest.
 */
export interface AdmissionQueue {
  /** A free place that no earlier request of the network waits for; null: there is none. */
  enterAtOnce(network: string): Place | null;
  /** A place; null: refused, or the wait took too long, or the client left. `gone` is called only if there is a wait. */
  enter(network: string, gone: () => AbortSignal): Later<Place | null>;
}

export interface Place {
  /** The network that it counts for; empty: none. */
  network: string;
  /** How to disconnect the holder. Used once it held its place for `minimumHoldMs` while others wait. */
  onEvict(evict: () => void): void;
  /** The holder has shown a token, or is disconnected. A second call does nothing. */
  leave(): void;
}

export interface AdmissionLimits {
  places: number;
  waiting: { most: number; ms: number };
  minimumHoldMs: number;
}

interface Network {
  name: string;
  held: Set<Holder>;
  /** In order of arrival. */
  waiting: Set<Waiter>;
}

interface Holder {
  since: number;
  evict: (() => void) | null;
}

interface Waiter {
  /** Counts all arrivals. */
  order: number;
  settle(place: Place | null): void;
}

const evictionEveryMs = 100;

export function createAdmissionQueue(
  limits: AdmissionLimits,
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
): AdmissionQueue {
  const networks = new Map<string, Network>();
  const count = { held: 0, waiting: 0, arrived: 0 };
  let cancelEviction: (() => void) | null = null;

  const mayHold = ({ held }: Network) => held.size < limits.places - count.held;

  const hold = (network: Network): Place => {
    const holder: Holder = { since: monotonic(), evict: null };
    network.held.add(holder);
    count.held++;
    return {
      network: network.name,
      onEvict(evict) {
        holder.evict = evict;
      },
      leave() {
        if (!network.held.delete(holder)) return;
        count.held--;
        forgetIfEmpty(networks, network);
        admitWaiting();
      },
    };
  };

  const admitWaiting = () => {
    for (let next = nextToAdmit(networks); next !== undefined && mayHold(next); next = nextToAdmit(networks)) {
      const [first] = next.waiting;
      first?.settle(hold(next));
    }
  };

  const wait = (network: Network, gone: AbortSignal): Promise<Place | null> =>
    new Promise((resolve) => {
      const giveUp = () => waiter.settle(null);
      const waiter: Waiter = {
        order: count.arrived++,
        settle(place) {
          network.waiting.delete(waiter);
          count.waiting--;
          forgetIfEmpty(networks, network);
          cancelTimer();
          gone.removeEventListener('abort', giveUp);
          if (count.waiting === 0) cancelEviction?.();
          resolve(place);
        },
      };
      const cancelTimer = after(limits.waiting.ms, giveUp);
      gone.addEventListener('abort', giveUp);
      network.waiting.add(waiter);
      if (count.waiting++ === 0) cancelEviction = after(evictionEveryMs, evictHolders);
    });

  /** Every waiting entry may displace one holder. */
  const evictHolders = () => {
    const before = monotonic() - limits.minimumHoldMs;
    for (const network of [...networks.values()]) {
      for (let entries = network.waiting.size; entries > 0 && network.waiting.size > 0; entries--) {
        const evict = holderToEvict(networks, network, before);
        if (evict === null) break;
        evict();
      }
    }
    if (count.waiting > 0) cancelEviction = after(evictionEveryMs, evictHolders);
  };

  /** A network may have as many entries as are free. Beyond that, the newest entry of the network with most is refused; false: that is the newcomer. */
  const makeRoom = (newcomer: Network): boolean => {
    if (newcomer.waiting.size < limits.waiting.most - count.waiting) return true;
    const most = largestBy(networks.values(), ({ waiting }) => waiting.size);
    if (most === undefined || most.waiting.size <= newcomer.waiting.size + 1) return false;
    [...most.waiting].at(-1)?.settle(null);
    return true;
  };

  const enterAtOnce = (name: string): Place | null => {
    const network = networks.get(name) ?? { name, held: new Set(), waiting: new Set() };
    if (network.waiting.size > 0 || !mayHold(network)) return null;
    networks.set(name, network);
    return hold(network);
  };

  return {
    enterAtOnce,
    enter(name, gone) {
      const place = enterAtOnce(name);
      if (place !== null) return place;
      const network = networks.get(name) ?? { name, held: new Set(), waiting: new Set() };
      networks.set(name, network);
      const signal = gone();
      if (!signal.aborted && makeRoom(network)) return wait(network, signal);
      forgetIfEmpty(networks, network);
      return null;
    },
  };
}

function forgetIfEmpty(networks: Map<string, Network>, { name, held, waiting }: Network): void {
  if (held.size === 0 && waiting.size === 0) networks.delete(name);
}

/** The network that holds fewest places; of several, the one whose first entry waits longest. */
function nextToAdmit(networks: ReadonlyMap<string, Network>): Network | undefined {
  let next: Network | undefined;
  for (const network of networks.values()) {
    if (network.waiting.size === 0) continue;
    const lead = next === undefined ? -1 : network.held.size - next.held.size || arrivalOf(network) - arrivalOf(next);
    if (lead < 0) next = network;
  }
  return next;
}

function arrivalOf({ waiting }: Network): number {
  for (const { order } of waiting) return order;
  return 0;
}

/** The longest holder of the network with most places, of those that hold no fewer than the waiting network. */
function holderToEvict(networks: ReadonlyMap<string, Network>, waiting: Network, before: number): (() => void) | null {
  let evict: (() => void) | null = null;
  let most = Math.max(1, waiting.held.size) - 1;
  for (const { held } of networks.values()) {
    if (held.size <= most) continue;
    const found = evictable(held, before);
    if (found === null) continue;
    evict = found;
    most = held.size;
  }
  return evict;
}

function evictable(held: ReadonlySet<Holder>, before: number): (() => void) | null {
  for (const { since, evict } of held) if (evict !== null && since <= before) return evict;
  return null;
}

function largestBy<T>(items: Iterable<T>, sizeOf: (item: T) => number): T | undefined {
  let largest: T | undefined;
  for (const item of items) if (largest === undefined || sizeOf(item) > sizeOf(largest)) largest = item;
  return largest;
}
