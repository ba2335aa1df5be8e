import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Player } from './mpris.entry.ts';
import {
  byImportance,
  currentPosition,
  isNewTrack,
  mprisPrefix,
  newEntry,
  type PlayerEntry,
  toPlayer,
  withoutSeconds,
} from './mpris.entry.ts';
import { metadataText, propertiesIn, toNumber, toSeconds } from './mpris.values.ts';

/** What is known of the players on a bus. */
export interface Players {
  /** The current one first. Those that hang are asked again by the way. */
  list(): Player[];
  /** Asks who is there and what they do; those that hang are waited for as long as is good for the others. */
  load(): Promise<Player[]>;
  clear(): void;
  moved(name: string, before: string, after: string): void;
  altered(owner: string, values: unknown, invalidated: unknown): void;
  sought(owner: string, position: number | null): void;
  /** It did not answer somebody. Until it says something by itself, it is nobody's choice. */
  hung(owner: string): void;
}

export interface PlayersParts {
  bus: Bus;
  clock: Clock;
  changed(): void;
  /** Whether anybody wants to know by himself. */
  isFollowed(): boolean;
}

const busObject = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};
const properties = 'org.freedesktop.DBus.Properties';
const answerTimeoutMs = 2000;
/** Once one player has answered, the others get this much longer, ms. */
const graceMs = 300;
/** One that hung is asked again after this time, and then not more often than this, ms. */
const secondAskMs = 3000;
const silentMs = 10_000;
/** It stands for the other players, which are here themselves. */
const notPlayers = new Set([`${mprisPrefix}.playerctld`]);
/** However many names claim to be players, of these few everything is known; the others are looked at when one has gone. */
const mostPlayers = 100;
const mostNames = 8;
/** Who was turned away is looked for again after this time at the earliest, ms. */
const againMs = 3000;

export function createPlayers({ bus, clock, changed, isFollowed }: PlayersParts): Players {
  const entries = new Map<string, PlayerEntry>();
  let count = 0;
  /** There are more than we know of. */
  let isCut = false;
  let loadedAt = Number.NEGATIVE_INFINITY;

  const ask = async (destination: string, member: string, body: string[]): Promise<unknown> => {
    const place = destination === busObject.destination ? busObject : playerObject(destination);
    const signature = 's'.repeat(body.length);
    const [value] = await bus.call({ ...place, member, signature, body, timeoutMs: answerTimeoutMs });
    return value;
  };

  /** null: there are too many already. */
  const entryOf = (owner: string, name: string): PlayerEntry | null => {
    if (!entries.has(owner) && entries.size >= mostPlayers) {
      isCut = true;
      return null;
    }
    const entry = entries.get(owner) ?? newEntry(owner);
    if (entry.names.size < mostNames) entry.names.add(name);
    entries.set(owner, entry);
    return entry;
  };

  /** Who begins to play, and who ends, was the last that did. */
  const noteStatus = (entry: PlayerEntry, before: unknown) => {
    const now = entry.properties.get('PlaybackStatus');
    if (now === before || (now !== 'Playing' && before !== 'Playing')) return;
    count += 1;
    entry.played = count;
  };

  const hear = (entry: PlayerEntry, position: number | null) => {
    entry.changedAt = clock.monotonic();
    entry.heard = position === null ? null : { position, at: clock.monotonic() };
  };

  /** It is elsewhere now, by its own word. */
  const jump = (entry: PlayerEntry, position: number | null) => {
    entry.moves += 1;
    hear(entry, position);
  };

  /** True when it has answered; false: it hangs, or is gone. Who asks while it is asked already shares the answer. */
  const askAll = (entry: PlayerEntry): Promise<boolean> => {
    entry.asking ??= askNow(entry).finally(() => {
      entry.asking = null;
    });
    return entry.asking;
  };

  const askNow = async (entry: PlayerEntry): Promise<boolean> => {
    const { owner } = entry;
    entry.askedAt = clock.monotonic();
    entry.meanwhile.clear();
    try {
      const [identity, pid, values] = await Promise.all([
        entry.identity ?? ask(owner, 'Get', [mprisPrefix, 'Identity']).catch(() => null),
        entry.pid ?? ask(busObject.destination, 'GetConnectionUnixProcessID', [owner]).catch(() => null),
        ask(owner, 'GetAll', [`${mprisPrefix}.Player`]),
      ]);
      if (entries.get(owner) !== entry) return false;
      const before = entry.properties.get('PlaybackStatus');
      entry.identity = metadataText(identity, 200);
      entry.pid = toNumber(pid);
      entry.properties = new Map([...propertiesIn(values), ...entry.meanwhile]);
      entry.state = 'known';
      entry.trackVersion += 1;
      hear(entry, toSeconds(entry.properties.get('Position')));
      noteStatus(entry, before);
      return true;
    } catch (error) {
      if (entries.get(owner) !== entry) return false;
      if (isGone(error)) entries.delete(owner);
      else fallSilent(entry);
      return false;
    }
  };

  /** Stuck, or not ready yet: it is asked again soon, and after that now and then. */
  const fallSilent = (entry: PlayerEntry) => {
    const isNews = entry.state !== 'silent';
    entry.state = 'silent';
    if (!isNews) return;
    clock.after(secondAskMs, () => {
      if (isFollowed() && entries.get(entry.owner) === entry && entry.state === 'silent') askAndTell(entry);
    });
  };

  const askAndTell = (entry: PlayerEntry) => void askAll(entry).finally(changed);

  const askSilentOnes = () => {
    for (const entry of entries.values()) {
      if (entry.state === 'silent' && clock.monotonic() - entry.askedAt > silentMs) askAndTell(entry);
    }
  };

  /** Where the player really is after it began something new; heard later than the news itself. */
  const askPosition = async (entry: PlayerEntry) => {
    entry.moves += 1;
    const { moves } = entry;
    try {
      const position = toSeconds(await ask(entry.owner, 'Get', [`${mprisPrefix}.Player`, 'Position']));
      // A signal that came with the answer is heard before it, though it was sent after it.
      if (entries.get(entry.owner) !== entry || entry.moves !== moves) return;
      const expected = currentPosition(entry, clock.monotonic());
      hear(entry, position);
      if (position === null || expected === null || Math.abs(position - expected) > 0.5) changed();
    } catch {}
  };

  const findOwners = async (): Promise<Map<string, string[]>> => {
    const names = await ask(busObject.destination, 'ListNames', []);
    const all = (Array.isArray(names) ? names.map(String) : []).filter(isPlayer);
    // Those that were there first stay, however many come.
    const known = new Set([...entries.values()].flatMap((entry) => [...entry.names]));
    const players = [...all.filter((name) => known.has(name)), ...all.filter((name) => !known.has(name))].slice(
      0,
      mostPlayers,
    );
    isCut = all.length > players.length;
    const owners = new Map<string, string[]>();
    await Promise.all(
      players.map(async (name) => {
        // One that goes between the two questions is no longer one.
        const owner = await ask(busObject.destination, 'GetNameOwner', [name]).catch(() => null);
        if (typeof owner === 'string') owners.set(owner, [...(owners.get(owner) ?? []), name]);
      }),
    );
    return owners;
  };

  const load = async () => {
    // Whoever comes meanwhile is told by a signal, and stays.
    const before = [...entries.keys()];
    loadedAt = clock.monotonic();
    const owners = await findOwners();
    for (const owner of before) if (!owners.has(owner)) entries.delete(owner);
    for (const [owner, names] of owners) for (const name of names) entryOf(owner, name);
    let over = false;
    const awaited = [...entries.values()]
      .filter(({ state }) => state !== 'silent')
      .map(async (entry) => {
        const answered = await askAll(entry);
        if (over) changed();
        return answered;
      });
    askSilentOnes();
    const firstAnswer = Promise.any(awaited.map(async (asked) => (await asked) || Promise.reject()));
    const longEnough = firstAnswer.then(
      () => sleep(clock, graceMs),
      () => {},
    );
    await Promise.race([Promise.all(awaited), longEnough]);
    over = true;
    return sorted();
  };

  /** There is room again for those that were turned away. */
  const makeUp = () => {
    if (!isCut || entries.size >= mostPlayers || clock.monotonic() - loadedAt < againMs) return;
    void load().then(changed, () => {});
  };

  const sorted = () =>
    withoutSeconds([...entries.values()])
      .sort(byImportance)
      .map(toPlayer);

  return {
    list() {
      askSilentOnes();
      makeUp();
      return sorted();
    },
    load,
    clear: () => entries.clear(),
    moved(name, before, after) {
      if (!isPlayer(name)) return;
      const left = entries.get(before);
      left?.names.delete(name);
      if (left?.names.size === 0) entries.delete(before);
      if (after !== '') {
        const isNew = !entries.has(after);
        const entry = entryOf(after, name);
        if (entry !== null && isNew) return askAndTell(entry);
        if (entry === null && left === undefined) return;
      } else if (left === undefined) return;
      changed();
      makeUp();
    },
    altered(owner, values, invalidated) {
      const entry = entries.get(owner);
      if (entry === undefined) return;
      for (const [name, value] of propertiesIn(values)) entry.meanwhile.set(name, value);
      if (entry.state !== 'known') return askAndTell(entry);
      // Up to now it went on as before.
      hear(entry, currentPosition(entry, clock.monotonic()));
      const before = entry.properties;
      entry.properties = new Map([...before, ...propertiesIn(values)]);
      const has = (name: string) => Object.hasOwn(Object(values), name);
      noteStatus(entry, before.get('PlaybackStatus'));
      if (has('Metadata')) entry.trackVersion += 1;
      if (has('Position')) jump(entry, toSeconds(entry.properties.get('Position')));
      else if (isNewTrack(before, entry.properties)) jump(entry, 0);
      if (Array.isArray(invalidated) && invalidated.length > 0) {
        // An answer that is on its way may be older than this.
        return void Promise.resolve(entry.asking).then(() => askAndTell(entry));
      }
      changed();
      if (has('PlaybackStatus') || has('Rate') || has('Metadata')) void askPosition(entry);
    },
    sought(owner, position) {
      const entry = entries.get(owner);
      if (position !== null) entry?.meanwhile.set('Position', position * 1_000_000);
      if (entry?.state !== 'known') return;
      if (position === null) void askPosition(entry);
      else {
        jump(entry, position);
        changed();
      }
    },
    hung(owner) {
      const entry = entries.get(owner);
      if (entry === undefined) return;
      entry.askedAt = clock.monotonic();
      fallSilent(entry);
      changed();
    },
  };
}

/** Its connection has ended. */
function isGone(error: unknown): boolean {
  return error instanceof BusError && /\.(ServiceUnknown|NameHasNoOwner|NoReply)$/.test(error.errorName);
}

function playerObject(destination: string) {
  return { destination, path: '/org/mpris/MediaPlayer2', interface: properties };
}

function isPlayer(name: string): boolean {
  return name.startsWith(`${mprisPrefix}.`) && !notPlayers.has(name);
}
