import type { Arrival, Doorway, OpenDoorway } from '../../host/socket-inspector.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { budgets, networkOf } from './budgets.ts';

/** Keeps the number of connections, and what they leave in memory, within their budgets. Nothing runs while nobody comes. */
export interface Crowd {
  /** Somebody asked for something: from now on newcomers are counted. */
  watch(): void;
  stop(): void;
}

/** A connection of ours as a transport knows it. */
export interface Guest {
  /** It has shown a token. */
  known: boolean;
  /** Bytes that came and were taken: the rest of what came waits somewhere in the runtime. */
  taken: number;
  drop(): void;
}

export interface CrowdParts {
  open: OpenDoorway;
  /** Those we listen on. */
  ports(): readonly number[];
  clock: Clock;
  log: Log;
  /** null: nothing is known of this connection. */
  guestAt(arrival: Pick<Arrival, 'address' | 'port' | 'ours'>): Guest | null;
}

/** The usual look, and that of a house that was full a moment ago, or of one where much could be sent in a moment. */
const lookMs = { quiet: 500, many: 100, crowded: 50 };
/** Fewer need no looking after: whatever they send is within the budget. */
const fewConnections = 32;
/** After so long with few of them it waits for the next knock. */
const quietMs = 5000;
/** Where memory is below this, nobody has left much. */
const suspicious = { bytes: 96 * 1024 * 1024, growth: 8 * 1024 * 1024, everyMs: 1000 };

export function createCrowd({ open, ports, clock, log, guestAt }: CrowdParts): Crowd {
  let doorway: Doorway | null = null;
  let watching = false;
  let stopped = false;
  let cancel = () => {};
  /** By the last count: descriptors that are no strangers, connections with a token among them, and the memory used then. */
  let last = { at: 0, others: 0, known: 0, memory: 0 };
  let busyUntil = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  const knocked = () => {
    busyUntil = clock.monotonic() + quietMs;
    look();
  };

  const wait = (door: Doorway) => {
    const stops = ports().map((port) =>
      door.onKnock(port, () => {
        for (const stop of stops) stop();
        knocked();
      }),
    );
    cancel = () => {
      for (const stop of stops) stop();
    };
  };

  const look = () => {
    if (doorway === null || stopped) return;
    try {
      lookAround(doorway);
    } catch (error) {
      // Without descriptors even looking fails; the next time it may not.
      log.debug(`access: the connections cannot be counted: ${String(error)}`);
      cancel = clock.after(lookMs.quiet, look);
    }
  };

  const lookAround = (door: Doorway) => {
    const now = clock.monotonic();
    const most = mostConnections(door.limit);
    const estimated = door.descriptors() - last.others;
    const isCrowded = estimated > most * perAddressShare;
    const isSuspicious = estimated + last.known >= fewConnections && hasGrown(door.memory(), now);
    let count = estimated;
    const isQuiet = now >= busyUntil && estimated + last.known < fewConnections;
    if (isCrowded || isSuspicious || isQuiet || now - last.at >= quietMs) {
      const arrivals = ports().flatMap((port) => door.connections(port));
      const strangers = arrivals.filter((arrival) => !isKnown(arrival));
      const known = arrivals.length - strangers.length;
      last = { at: now, others: door.descriptors() - strangers.length, known, memory: door.memory() };
      const ended = thinOut(door, arrivals, strangers, most);
      const unread = isSuspicious ? endUnread(door, strangers) : 0;
      if (isSuspicious) endUnfinished(arrivals);
      if (ended + unread > 0) busyUntil = now + quietMs;
      count = strangers.length - ended - unread;
    }
    const all = count + last.known;
    if (all < fewConnections && now >= busyUntil) return wait(door);
    cancel = clock.after(isCrowded ? lookMs.crowded : all >= fewConnections ? lookMs.many : lookMs.quiet, look);
  };

  const isKnown = (arrival: Arrival) => guestAt(arrival)?.known === true;

  /** More memory than usual is looked into when it grows, and else now and then. */
  const hasGrown = (memory: number, now: number) =>
    memory > suspicious.bytes && (memory - last.memory > suspicious.growth || now - last.at > suspicious.everyMs);

  /** Of those who have too many, in all or for one address, a quarter goes; how many. */
  const thinOut = (door: Doorway, arrivals: Arrival[], strangers: Arrival[], most: number): number => {
    const byNetwork = Map.groupBy(strangers, ({ address }) => networkOf(address));
    const going = new Set<Arrival>();
    for (const those of byNetwork.values()) {
      if (those.length > most * perAddressShare)
        for (const one of leastUseful(those, those.length - most * perAddressShare * keptShare, isKnown))
          going.add(one);
    }
    // Those with a token have a budget of their own, and count here only where descriptors are few.
    for (const [those, limit] of [
      [strangers, most],
      [arrivals, door.limit * shareOfDescriptors],
    ] as const) {
      const rest = those.filter((arrival) => !going.has(arrival));
      if (rest.length <= limit) continue;
      for (const one of leastUseful(rest, rest.length - limit * keptShare, isKnown)) going.add(one);
    }
    for (const arrival of going) door.shut(arrival);
    if (going.size > 0)
      warn(`${arrivals.length} connections are more than this service takes; those that say nothing are ended`);
    return going.size;
  };

  /** Once a minute: a log that fills is an attack of its own. */
  const warn = (sentence: string) => {
    if (clock.monotonic() - warnedAt < warnEveryMs) return;
    warnedAt = clock.monotonic();
    log.warn(`access: ${sentence}`);
  };

  /** Answers of HTTP that nobody reads; how many. WebSockets with a token have a budget for that of their own. */
  const endUnread = (door: Doorway, strangers: Arrival[]): number => {
    const stuck = strangers.filter(({ unreadMs }) => unreadMs >= budgets.all.unreadMs);
    for (const arrival of stuck) door.shut(arrival);
    if (stuck.length > 0)
      warn(`${stuck.length} connections did not read their answers while memory was short; they are ended`);
    return stuck.length;
  };

  /** Frames that have begun and do not end; the longest go first. */
  const endUnfinished = (arrivals: Arrival[]) => {
    const held = arrivals
      .flatMap((arrival) => {
        const guest = guestAt(arrival);
        return guest === null ? [] : [{ guest, bytes: arrival.received - guest.taken }];
      })
      .sort((a, b) => b.bytes - a.bytes);
    let sum = held.reduce((all, { bytes }) => all + Math.max(0, bytes), 0);
    const before = sum;
    for (const { guest, bytes } of held) {
      if (sum <= budgets.all.unfinishedBytes) break;
      guest.drop();
      sum -= bytes;
    }
    if (sum < before)
      warn(
        `${Math.round(before / 2 ** 20)} MiB of messages that are never finished are more than this service keeps; the longest were dropped with their connections`,
      );
  };

  return {
    watch() {
      if (watching) return;
      watching = true;
      void open().then(
        (opened) => {
          if (opened === null || stopped) return;
          doorway = opened;
          for (const port of ports()) opened.lengthenQueue(port);
          knocked();
        },
        (error: unknown) => log.warn(`access: connections cannot be counted here: ${String(error)}`),
      );
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

const { most: mostInAll, shareOfDescriptors, perAddressShare } = budgets.all.connections;
const keptShare = 0.75;
const warnEveryMs = 60_000;

/** Below what the system allows, so that there is always one left to answer with. */
export function mostConnections(limit: number): number {
  return Math.max(16, Math.min(mostInAll, Math.floor(limit * shareOfDescriptors)));
}

/** Those never answered first, then the idlest; those with a token last. */
function leastUseful(those: Arrival[], count: number, isKnown: (arrival: Arrival) => boolean): Arrival[] {
  return those
    .map((arrival) => ({ arrival, rank: isKnown(arrival) ? 2 : arrival.answered ? 1 : 0 }))
    .sort((a, b) => a.rank - b.rank || b.arrival.idleMs - a.arrival.idleMs)
    .slice(0, Math.max(0, Math.ceil(count)))
    .map(({ arrival }) => arrival);
}
