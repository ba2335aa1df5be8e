import { type Bus, type BusCall, BusError, type Signal, type SignalMatch } from '@hostler/dbus/dbus.ts';

/** A player whose replies the test controls. */
export interface FakePlayer {
  names: string[];
  properties: Record<string, unknown>;
  identity?: unknown;
  pid?: number;
  /** Called before it answers; a promise that never resolves makes it hang. */
  before?: (call: BusCall) => unknown;
}

/** A session bus with players; every signal goes to all subscribers. */
export function fakePlayers(players: Record<string, FakePlayer>) {
  const prefix = 'org.mpris.MediaPlayer2';
  const subscribers = new Set<{ match: SignalMatch; onSignal(signal: Signal): void }>();
  const reconnected = new Set<{ found(): void; lost(): void }>();
  const calls: BusCall[] = [];
  const state: { there: boolean; before: (call: BusCall) => unknown } = { there: true, before: () => undefined };

  const emit = (signal: Signal) => {
    for (const { match, onSignal } of [...subscribers]) {
      if (match.interface === signal.interface && match.member === signal.member) onSignal(signal);
    }
  };
  const noOwner = () => new BusError('org.freedesktop.DBus.Error.NameHasNoOwner', 'nobody');
  const answerOf = async (call: BusCall): Promise<unknown[]> => {
    const [argument, property] = call.body ?? [];
    if (call.member === 'ListNames') return [Object.values(players).flatMap(({ names }) => names)];
    if (call.member === 'GetNameOwner') {
      const owner = Object.entries(players).find(([, { names }]) => names.includes(String(argument)))?.[0];
      if (owner === undefined) throw noOwner();
      return [owner];
    }
    if (call.member === 'GetConnectionUnixProcessID') return [players[String(argument)]?.pid ?? 1];
    const player = players[call.destination];
    if (player === undefined) throw noOwner();
    await player.before?.(call);
    if (players[call.destination] !== player) throw noOwner();
    if (call.member === 'GetAll') return [{ ...player.properties }];
    if (call.member === 'Get') return [property === 'Identity' ? player.identity : player.properties[String(property)]];
    if (call.member === 'Set') player.properties[String(property)] = Object(call.body?.[2]).value;
    return [];
  };

  const bus: Bus = {
    async call(call) {
      calls.push(call);
      if (!state.there) throw new BusError('Client.NoBus', 'There is no session bus');
      await state.before(call);
      return await answerOf(call);
    },
    async subscribe(match, onSignal) {
      if (!state.there) throw new BusError('Client.NoBus', 'There is no session bus');
      const subscriber = { match, onSignal };
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    onReconnected(found, lost = () => {}) {
      const entry = { found, lost };
      reconnected.add(entry);
      return () => reconnected.delete(entry);
    },
    close: () => {},
  };

  return {
    bus,
    calls,
    state,
    subscriptions: () => subscribers.size,
    /** Control calls that reached a player: everything but reads. */
    orders: () => calls.filter(({ member, interface: name }) => name === `${prefix}.Player` || member === 'Set'),
    announce(owner: string, values: Record<string, unknown>, invalidated: string[] = []) {
      Object.assign(players[owner]?.properties ?? {}, values);
      emit({
        sender: owner,
        path: '/org/mpris/MediaPlayer2',
        interface: 'org.freedesktop.DBus.Properties',
        member: 'PropertiesChanged',
        body: [`${prefix}.Player`, values, invalidated],
      });
    },
    seek(owner: string, microseconds: unknown) {
      const place = { sender: owner, path: '/org/mpris/MediaPlayer2', interface: `${prefix}.Player` };
      emit({ ...place, member: 'Seeked', body: [microseconds] });
    },
    move(name: string, before: string, after: string) {
      const place = {
        sender: 'org.freedesktop.DBus',
        path: '/org/freedesktop/DBus',
        interface: 'org.freedesktop.DBus',
      };
      emit({ ...place, member: 'NameOwnerChanged', body: [name, before, after] });
    },
    lose() {
      state.there = false;
      for (const { lost } of reconnected) lost();
    },
    comeBack() {
      state.there = true;
      for (const { found } of reconnected) found();
    },
  };
}

/** Runs all pending callbacks. */
export const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

export const playing = (title: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  PlaybackStatus: 'Playing',
  CanControl: true,
  CanPlay: true,
  CanPause: true,
  CanSeek: true,
  CanGoNext: true,
  CanGoPrevious: true,
  Volume: 0.6,
  Rate: 1,
  Position: 10_000_000,
  LoopStatus: 'None',
  Shuffle: false,
  Metadata: { 'mpris:trackid': `/${title}`, 'xesam:title': title, 'mpris:length': 60_000_000 },
  ...more,
});

export const fakeSession = () => {
  const watchers = new Set<() => void>();
  return {
    notify: () => {
      for (const watcher of watchers) watcher();
    },
    session: {
      find: async () => ({ variables: {}, wayland: null, x11: null }),
      watch(changed: () => void) {
        watchers.add(changed);
        return () => watchers.delete(changed);
      },
    },
  };
};
