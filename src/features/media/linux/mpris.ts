import { type Bus, type BusCall, BusError, type Signal, type Variant } from '@hostler/dbus/dbus.ts';
import type { DesktopSession } from '../../../host/linux/desktop/desktop-session.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Player } from './mpris.entry.ts';
import { mprisPrefix } from './mpris.entry.ts';
import { createPlayers, type Players } from './mpris.players.ts';
import { toSeconds } from './mpris.values.ts';

/**
 * The media players of the session. With a follower their signals keep the list up to date; otherwise every call queries them.
 * https://specifications.freedesktop.org/mpris-spec/latest/
 */
export interface Mpris {
  /** The current player first: the one that plays or played last. Throws BusError without a session bus. */
  players(): Player[] | Promise<Player[]>;
  follow(changed: () => void): () => void;
  /** Calls a method of the Player interface. */
  call(player: Player, member: string, signature?: string, body?: unknown[]): Promise<void>;
  set(player: Player, property: string, value: Variant): Promise<void>;
  /** Queries one property. */
  get(player: Player, property: string): Promise<unknown>;
}

export type MprisHost = { dbus: { session: Bus }; clock: Clock; session: DesktopSession };

const clients = new WeakMap<Bus, Mpris>();

/** One client per session bus, so that the module and the action agree on the current player. */
export function mprisOf(host: MprisHost): Mpris {
  const bus = host.dbus.session;
  const client = clients.get(bus) ?? createMpris(host);
  clients.set(bus, client);
  return client;
}

/** The extrapolated position, seconds. */
export function positionAt({ observed, status, rate, track }: Player, now: number): number | null {
  if (observed === null) return null;
  const since = status === 'PLAYING' ? ((now - observed.at) / 1000) * rate : 0;
  return Math.max(0, Math.min(observed.position + since, track.length || Number.POSITIVE_INFINITY));
}

const mprisObject = { path: '/org/mpris/MediaPlayer2' };
const playerInterface = `${mprisPrefix}.Player`;
const properties = 'org.freedesktop.DBus.Properties';
const answerTimeoutMs = 2000;

export function createMpris({ dbus: { session: bus }, clock, session }: MprisHost): Mpris {
  const followers = new Set<() => void>();
  const players = createPlayers({ bus, clock, changed: notifyAll, isFollowed: () => followers.size > 0 });
  let stopFollowing: (() => void) | null = null;
  /** Whether signals arrive, so that the list is up to date. */
  let isFollowing = false;
  let listenAgain = () => {};

  function notifyAll(): void {
    for (const follower of [...followers]) follower();
  }

  function start(): () => void {
    const stops: (() => void)[] = [];
    let stopped = false;
    let subscribed = false;
    let starting = false;
    let onceMore = false;
    let losses = 0;
    const listen = async (): Promise<void> => {
      if (isFollowing || stopped) return;
      onceMore = starting;
      if (starting) return;
      starting = true;
      const lossesBefore = losses;
      try {
        if (!subscribed) await subscribe();
        await players.load();
        // Answers of a bus that was lost meanwhile are void.
        isFollowing = !stopped && losses === lossesBefore;
      } catch {
        // No session bus: session.watch announces one, and every read tries again.
      }
      starting = false;
      if (isFollowing) notifyAll();
      else if (onceMore) await listen();
    };
    const subscribe = async () => {
      const held = await Promise.all(subscriptions(players).map(([match, handle]) => bus.subscribe(match, handle)));
      subscribed = true;
      stops.push(...held);
      if (stopped) for (const stop of held) stop();
    };
    const lost = () => {
      losses += 1;
      isFollowing = false;
      players.clear();
      notifyAll();
    };
    stops.push(bus.onReconnected(() => void listen(), lost));
    stops.push(session.watch(() => void listen()));
    listenAgain = () => void listen();
    void listen();
    return () => {
      stopped = true;
      isFollowing = false;
      listenAgain = () => {};
      for (const stop of stops) stop();
    };
  }

  const send = async ({ owner }: Player, call: Omit<BusCall, 'destination' | 'path' | 'timeoutMs'>) => {
    try {
      return await bus.call({ ...call, ...mprisObject, destination: owner, timeoutMs: answerTimeoutMs });
    } catch (error) {
      if (error instanceof BusError && error.errorName === 'Client.Timeout') players.timedOut(owner);
      throw error;
    }
  };

  return {
    players() {
      if (isFollowing) return players.list();
      const loading = players.load();
      // The bus has answered, so its signals can be subscribed.
      loading.then(listenAgain, () => {});
      return loading;
    },
    follow(changed) {
      const follower = () => changed();
      followers.add(follower);
      stopFollowing ??= start();
      return () => {
        if (!followers.delete(follower) || followers.size > 0) return;
        stopFollowing?.();
        stopFollowing = null;
      };
    },
    async call(player, member, signature = '', body = []) {
      await send(player, { interface: playerInterface, member, signature, body });
    },
    async set(player, property, value) {
      const body = [playerInterface, property, value];
      await send(player, { interface: properties, member: 'Set', signature: 'ssv', body });
    },
    async get(player, property) {
      const body = [playerInterface, property];
      const [value] = await send(player, { interface: properties, member: 'Get', signature: 'ss', body });
      return value;
    },
  };
}

/** For all players, so that a new one needs no subscription. */
function subscriptions(players: Players) {
  const owners = { sender: 'org.freedesktop.DBus', interface: 'org.freedesktop.DBus', member: 'NameOwnerChanged' };
  return [
    [
      { ...owners, arg0Namespace: mprisPrefix },
      ({ body: [name, before, after] }: Signal) =>
        players.nameOwnerChanged(String(name), String(before), String(after)),
    ],
    [
      { ...mprisObject, interface: properties, member: 'PropertiesChanged', arg0: playerInterface },
      ({ sender, body: [, values, invalidated] }: Signal) => players.propertiesChanged(sender, values, invalidated),
    ],
    [
      { ...mprisObject, interface: playerInterface, member: 'Seeked' },
      ({ sender, body: [position] }: Signal) => players.seeked(sender, toSeconds(position)),
    ],
  ] as const;
}
