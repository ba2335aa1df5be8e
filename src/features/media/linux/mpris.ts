import { type Bus, BusError, busDaemon, type Signal, type Variant } from '@hostler/dbus/dbus.ts';
import { type BusPlace, getProperty, setProperty } from '../../../host/linux/dbus/bus-properties.ts';
import type { DesktopSession } from '../../../host/linux/desktop/desktop-session.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createStops } from '../../../lib/closing.ts';
import { createListeners } from '../../../lib/listeners.ts';
import { mprisPrefix, type Player } from './mpris.entry.ts';
import { createPlayers, type Players } from './mpris.players.ts';
import { toSeconds } from './mpris.values.ts';

export type Mpris = ReturnType<typeof createMpris>;

type MprisHost = { dbus: { session: Bus }; clock: Clock; session: DesktopSession };

const clients = new WeakMap<Bus, Mpris>();

/** One client per session bus, so that the module and the action agree on the current player. */
export function mprisOf(host: MprisHost): Mpris {
  const bus = host.dbus.session;
  const client = clients.get(bus) ?? createMpris(host);
  clients.set(bus, client);
  return client;
}

const mprisObject = { path: '/org/mpris/MediaPlayer2' };
const playerInterface = `${mprisPrefix}.Player`;
const properties = 'org.freedesktop.DBus.Properties';
const timeoutMs = 2000;

/**
 * The media players of the session. With a follower their signals keep the list up to date; otherwise every call queries them.
 * https://specifications.freedesktop.org/mpris-spec/latest/
 */
export function createMpris({ dbus: { session: bus }, clock, session }: MprisHost) {
  const followers = createListeners();
  const players = createPlayers({ bus, clock, changed: followers.announce, isFollowed: () => !followers.isEmpty() });
  let stopFollowing: (() => void) | null = null;
  /** Whether signals arrive, so that the list is up to date. */
  let isFollowing = false;
  let listenAgain = () => {};

  function start(): () => void {
    const stops = createStops();
    let subscribed = false;
    let starting = false;
    let onceMore = false;
    let losses = 0;
    const listen = async (): Promise<void> => {
      if (isFollowing || stops.isEnded()) return;
      onceMore = starting;
      if (starting) return;
      starting = true;
      const lossesBefore = losses;
      try {
        if (!subscribed) await subscribe();
        await players.load();
        // Answers of a bus that was lost meanwhile are void.
        isFollowing = !stops.isEnded() && losses === lossesBefore;
      } catch {
        // No session bus: session.watch announces one, and every read tries again.
      }
      starting = false;
      if (isFollowing) followers.announce();
      else if (onceMore) await listen();
    };
    const subscribe = async () => {
      const held = await Promise.all(subscriptions(players).map(([match, handle]) => bus.subscribe(match, handle)));
      subscribed = true;
      for (const stop of held) stops.add(stop);
    };
    const lost = () => {
      losses += 1;
      isFollowing = false;
      players.clear();
      followers.announce();
    };
    stops.add(bus.onReconnected(() => void listen(), lost));
    stops.add(session.watch(() => void listen()));
    listenAgain = () => void listen();
    void listen();
    return () => {
      isFollowing = false;
      listenAgain = () => {};
      stops.end();
    };
  }

  const send = async <T>({ owner }: Player, work: (place: BusPlace) => Promise<T>) => {
    try {
      return await work({ ...mprisObject, interface: playerInterface, destination: owner });
    } catch (error) {
      if (error instanceof BusError && error.errorName === 'Client.Timeout') players.timedOut(owner);
      throw error;
    }
  };

  return {
    /** The current player first: the one that plays or played last. Throws BusError without a session bus. */
    players(): Player[] | Promise<Player[]> {
      if (isFollowing) return players.list();
      const loading = players.load();
      // The bus has answered, so its signals can be subscribed.
      loading.then(listenAgain, () => {});
      return loading;
    },
    follow(changed: () => void): () => void {
      const stop = followers.add(changed);
      stopFollowing ??= start();
      return () => {
        stop();
        if (!followers.isEmpty()) return;
        stopFollowing?.();
        stopFollowing = null;
      };
    },
    /** Calls a method of the Player interface. */
    async call(player: Player, member: string, signature = '', body: unknown[] = []): Promise<void> {
      await send(player, (place) => bus.call({ ...place, member, signature, body, timeoutMs }));
    },
    set: (player: Player, property: string, value: Variant) =>
      send(player, (place) => setProperty(bus, place, property, value, timeoutMs)),
    get: (player: Player, property: string) => send(player, (place) => getProperty(bus, place, property, timeoutMs)),
  };
}

/** For all players, so that a new one needs no subscription. */
function subscriptions(players: Players) {
  const owners = { sender: busDaemon.destination, interface: busDaemon.interface, member: 'NameOwnerChanged' };
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
