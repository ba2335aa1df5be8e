import { type Bus, type BusCall, BusError, type Signal, type Variant } from '@hostler/dbus/dbus.ts';
import type { DesktopSession } from '../../../host/linux/desktop/desktop-session.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Player } from './mpris.entry.ts';
import { mprisPrefix } from './mpris.entry.ts';
import { createPlayers, type Players } from './mpris.players.ts';
import { toSeconds } from './mpris.values.ts';

/**
 * The media players of the session. While somebody follows them, everything is known from their signals and nothing is asked;
 * otherwise they are asked when somebody wants to know. https://specifications.freedesktop.org/mpris-spec/latest/
 */
export interface Mpris {
  /** The current one first: that which plays, else the last that did. Throws BusError where there is no session bus. */
  players(): Player[] | Promise<Player[]>;
  follow(changed: () => void): () => void;
  /** A method of the player itself. */
  call(player: Player, member: string, signature?: string, body?: unknown[]): Promise<void>;
  set(player: Player, property: string, value: Variant): Promise<void>;
  /** One property, asked for now. */
  get(player: Player, property: string): Promise<unknown>;
}

export type MprisHost = { dbus: { session: Bus }; clock: Clock; session: DesktopSession };

const clients = new WeakMap<Bus, Mpris>();

/** One for a session bus: who asks and who controls agree on which player is meant. */
export function mprisOf(host: MprisHost): Mpris {
  const bus = host.dbus.session;
  const client = clients.get(bus) ?? createMpris(host);
  clients.set(bus, client);
  return client;
}

/** Where a player is now, in seconds, without asking it. */
export function positionAt({ heard, status, rate, track }: Player, now: number): number | null {
  if (heard === null) return null;
  const since = status === 'PLAYING' ? ((now - heard.at) / 1000) * rate : 0;
  return Math.max(0, Math.min(heard.position + since, track.length || Number.POSITIVE_INFINITY));
}

const mprisObject = { path: '/org/mpris/MediaPlayer2' };
const playerInterface = `${mprisPrefix}.Player`;
const properties = 'org.freedesktop.DBus.Properties';
const answerTimeoutMs = 2000;

export function createMpris({ dbus: { session: bus }, clock, session }: MprisHost): Mpris {
  const followers = new Set<() => void>();
  const players = createPlayers({ bus, clock, changed: tellAll, isFollowed: () => followers.size > 0 });
  let stopFollowing: (() => void) | null = null;
  /** Whether signals come in: what is known is true until one says otherwise. */
  let hearing = false;
  let listenAgain = () => {};

  function tellAll(): void {
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
      if (hearing || stopped) return;
      onceMore = starting;
      if (starting) return;
      starting = true;
      const lossesBefore = losses;
      try {
        if (!subscribed) await subscribe();
        await players.load();
        // What was asked of a bus that is gone by now is worth nothing.
        hearing = !stopped && losses === lossesBefore;
      } catch {
        // No session bus: the session tells when there may be one, and who reads tries it as well.
      }
      starting = false;
      if (hearing) tellAll();
      else if (onceMore) await listen();
    };
    const subscribe = async () => {
      const held = await Promise.all(subscriptions(players).map(([match, heard]) => bus.subscribe(match, heard)));
      subscribed = true;
      stops.push(...held);
      if (stopped) for (const stop of held) stop();
    };
    const lost = () => {
      losses += 1;
      hearing = false;
      players.clear();
      tellAll();
    };
    stops.push(bus.onReconnected(() => void listen(), lost));
    stops.push(session.watch(() => void listen()));
    listenAgain = () => void listen();
    void listen();
    return () => {
      stopped = true;
      hearing = false;
      listenAgain = () => {};
      for (const stop of stops) stop();
    };
  }

  const send = async ({ owner }: Player, call: Omit<BusCall, 'destination' | 'path' | 'timeoutMs'>) => {
    try {
      return await bus.call({ ...call, ...mprisObject, destination: owner, timeoutMs: answerTimeoutMs });
    } catch (error) {
      if (error instanceof BusError && error.errorName === 'Client.Timeout') players.hung(owner);
      throw error;
    }
  };

  return {
    players() {
      if (hearing) return players.list();
      const loading = players.load();
      // The bus is there: so its signals can be had.
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

/** Of all players at once, so that a new one needs no subscription of its own. */
function subscriptions(players: Players) {
  const owners = { sender: 'org.freedesktop.DBus', interface: 'org.freedesktop.DBus', member: 'NameOwnerChanged' };
  return [
    [
      { ...owners, arg0Namespace: mprisPrefix },
      ({ body: [name, before, after] }: Signal) => players.moved(String(name), String(before), String(after)),
    ],
    [
      { ...mprisObject, interface: properties, member: 'PropertiesChanged', arg0: playerInterface },
      ({ sender, body: [, values, invalidated] }: Signal) => players.altered(sender, values, invalidated),
    ],
    [
      { ...mprisObject, interface: playerInterface, member: 'Seeked' },
      ({ sender, body: [position] }: Signal) => players.sought(sender, toSeconds(position)),
    ],
  ] as const;
}
