import { type Clock, sleep } from '../clock.ts';
import type { Bus } from '../dbus/dbus.ts';
import type { Player } from './mpris.ts';
import { entriesOf, parsePlayer, toNumber, toSeconds, toText } from './mpris.values.ts';

export const mprisPrefix = 'org.mpris.MediaPlayer2';

/** What is known of the players on a bus. */
export interface Players {
  /** The current one first. */
  list(): Player[];
  /** Asks who is there and what they do; those that hang are waited for as long as is good for the others. */
  load(): Promise<Player[]>;
  clear(): void;
  moved(name: string, before: string, after: string): void;
  altered(owner: string, values: unknown, invalidated: unknown): void;
  sought(owner: string, position: number | null): void;
}

export interface PlayersParts {
  bus: Bus;
  clock: Clock;
  changed(): void;
}

interface Entry {
  owner: string;
  names: Set<string>;
  /** Its process; null: not known. */
  pid: number | null;
  identity: string | null;
  properties: Map<string, unknown>;
  /** What it announced while it was asked for everything: never older than the answer. null: it is not being asked. */
  meanwhile: Map<string, unknown> | null;
  heard: Player['heard'];
  trackVersion: number;
  /** The last of a count: who played later has a larger one. 0: never seen playing. */
  played: number;
  state: 'asked' | 'known' | 'silent';
  /** When it was asked last, on the monotonic clock. */
  askedAt: number;
}

const busObject = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};
const properties = 'org.freedesktop.DBus.Properties';
const patienceMs = 2000;
/** Once one player has answered, the others get this much longer, ms. */
const graceMs = 300;
/** One that hung is asked again after this time, ms. */
const silentMs = 10_000;
/** It stands for the other players, which are here themselves. */
const notPlayers = new Set([`${mprisPrefix}.playerctld`]);
const mostPlayers = 100;

export function createPlayers({ bus, clock, changed }: PlayersParts): Players {
  const entries = new Map<string, Entry>();
  let count = 0;

  const ask = async (destination: string, member: string, body: string[]): Promise<unknown> => {
    const place = destination === busObject.destination ? busObject : playerObject(destination);
    const signature = 's'.repeat(body.length);
    const [value] = await bus.call({ ...place, member, signature, body, timeoutMs: patienceMs });
    return value;
  };

  const entryOf = (owner: string, name: string): Entry => {
    const entry = entries.get(owner) ?? newEntry(owner);
    entry.names.add(name);
    entries.set(owner, entry);
    return entry;
  };

  /** Who begins to play, and who ends, was the last that did. */
  const noteStatus = (entry: Entry, before: unknown) => {
    const now = entry.properties.get('PlaybackStatus');
    if (now === before || (now !== 'Playing' && before !== 'Playing')) return;
    count += 1;
    entry.played = count;
  };

  const hear = (entry: Entry, position: number | null) => {
    entry.heard = position === null ? null : { position, at: clock.monotonic() };
  };

  /** True when it has answered; false: it hangs, or is gone. */
  const askAll = async (entry: Entry): Promise<boolean> => {
    const { owner } = entry;
    entry.askedAt = clock.monotonic();
    const meanwhile = new Map<string, unknown>();
    entry.meanwhile = meanwhile;
    try {
      const [identity, pid, values] = await Promise.all([
        entry.identity ?? ask(owner, 'Get', [mprisPrefix, 'Identity']).catch(() => null),
        entry.pid ?? ask(busObject.destination, 'GetConnectionUnixProcessID', [owner]).catch(() => null),
        ask(owner, 'GetAll', [`${mprisPrefix}.Player`]),
      ]);
      if (entries.get(owner) !== entry) return false;
      const before = entry.properties.get('PlaybackStatus');
      entry.identity = toText(identity, 200);
      entry.pid = toNumber(pid);
      entry.properties = new Map([...entriesOf(values), ...meanwhile]);
      entry.state = 'known';
      entry.trackVersion += 1;
      hear(entry, toSeconds(entry.properties.get('Position')));
      noteStatus(entry, before);
      return true;
    } catch {
      // Gone in the middle, or not a player after all, or stuck: what it was asked for says nothing about now.
      if (entries.get(owner) === entry) entry.state = 'silent';
      return false;
    } finally {
      if (entry.meanwhile === meanwhile) entry.meanwhile = null;
    }
  };

  const askAndTell = (entry: Entry) => void askAll(entry).finally(changed);

  /** Where the player really is after it began something new; heard later than the news itself. */
  const askPosition = async (entry: Entry) => {
    try {
      const position = toSeconds(await ask(entry.owner, 'Get', [`${mprisPrefix}.Player`, 'Position']));
      if (entries.get(entry.owner) !== entry) return;
      const expected = currentPosition(entry, clock.monotonic());
      hear(entry, position);
      if (position === null || expected === null || Math.abs(position - expected) > 0.5) changed();
    } catch {}
  };

  const findOwners = async (): Promise<Map<string, string[]>> => {
    const names = await ask(busObject.destination, 'ListNames', []);
    const players = (Array.isArray(names) ? names.map(String) : []).filter(isPlayer).slice(0, mostPlayers);
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
    const owners = await findOwners();
    for (const owner of entries.keys()) if (!owners.has(owner)) entries.delete(owner);
    const awaited: Promise<boolean>[] = [];
    let over = false;
    const askNow = async (entry: Entry) => {
      const answered = await askAll(entry);
      if (over) changed();
      return answered;
    };
    for (const [owner, names] of owners) {
      const known = entries.get(owner);
      if (known !== undefined) known.names = new Set(names);
      const entry = names.reduce<Entry | null>((_, name) => entryOf(owner, name), null);
      if (entry === null) continue;
      if (entry.state !== 'silent') awaited.push(askNow(entry));
      else if (clock.monotonic() - entry.askedAt > silentMs) askAndTell(entry);
    }
    const firstAnswer = Promise.any(awaited.map(async (asked) => (await asked) || Promise.reject()));
    const longEnough = firstAnswer.then(
      () => sleep(clock, graceMs),
      () => {},
    );
    await Promise.race([Promise.all(awaited), longEnough]);
    over = true;
    return list();
  };

  const list = () =>
    withoutSeconds([...entries.values()])
      .sort(byImportance)
      .map(toPlayer);

  return {
    list,
    load,
    clear: () => entries.clear(),
    moved(name, before, after) {
      if (!isPlayer(name)) return;
      const left = entries.get(before);
      left?.names.delete(name);
      if (left?.names.size === 0) entries.delete(before);
      if (after === '') return changed();
      const isNew = !entries.has(after);
      const entry = entryOf(after, name);
      if (isNew) askAndTell(entry);
      else changed();
    },
    altered(owner, values, invalidated) {
      const entry = entries.get(owner);
      if (entry === undefined) return;
      for (const [name, value] of entriesOf(values)) entry.meanwhile?.set(name, value);
      if (entry.state !== 'known') return entry.meanwhile === null ? askAndTell(entry) : undefined;
      // Up to now it went on as before.
      hear(entry, currentPosition(entry, clock.monotonic()));
      const before = entry.properties;
      entry.properties = new Map([...before, ...entriesOf(values)]);
      const has = (name: string) => Object.hasOwn(Object(values), name);
      noteStatus(entry, before.get('PlaybackStatus'));
      if (has('Metadata')) entry.trackVersion += 1;
      if (has('Position')) hear(entry, toSeconds(entry.properties.get('Position')));
      else if (isNewTrack(before, entry.properties)) hear(entry, 0);
      if (Array.isArray(invalidated) && invalidated.length > 0) return askAndTell(entry);
      changed();
      if (has('PlaybackStatus') || has('Rate') || has('Metadata')) void askPosition(entry);
    },
    sought(owner, position) {
      const entry = entries.get(owner);
      if (position !== null) entry?.meanwhile?.set('Position', position * 1_000_000);
      if (entry?.state !== 'known') return;
      if (position === null) void askPosition(entry);
      else {
        hear(entry, position);
        changed();
      }
    },
  };
}

function playerObject(destination: string) {
  return { destination, path: '/org/mpris/MediaPlayer2', interface: properties };
}

function isPlayer(name: string): boolean {
  return name.startsWith(`${mprisPrefix}.`) && !notPlayers.has(name);
}

function newEntry(owner: string): Entry {
  return {
    owner,
    names: new Set(),
    pid: null,
    identity: null,
    properties: new Map(),
    meanwhile: null,
    heard: null,
    trackVersion: 0,
    played: 0,
    state: 'asked',
    askedAt: 0,
  };
}

function isNewTrack(before: Map<string, unknown>, after: Map<string, unknown>): boolean {
  const { track: old } = parsePlayer(before);
  const { track } = parsePlayer(after);
  return old.id !== track.id || old.url !== track.url || old.title !== track.title;
}

function currentPosition(entry: Entry, now: number): number | null {
  const { status, rate } = parsePlayer(entry.properties);
  if (entry.heard === null) return null;
  return entry.heard.position + (status === 'PLAYING' ? ((now - entry.heard.at) / 1000) * rate : 0);
}

const ranks: Partial<Record<string, number>> = { Playing: 0, Paused: 2, Stopped: 3 };

/** That which plays, else the last that did; then those that pause before those that stand still. */
function byImportance(a: Entry, b: Entry): number {
  const rank = ({ state, properties, played }: Entry) => {
    if (state !== 'known') return 9;
    const own = ranks[String(properties.get('PlaybackStatus'))] ?? 4;
    return own > 0 && played > 0 ? 1 : own;
  };
  return rank(a) - rank(b) || b.played - a.played || (shortName(a) < shortName(b) ? -1 : 1);
}

/** VLC connects twice, as `vlc` and as `vlc.instance4711`: of one process with one name, one is enough. */
function withoutSeconds(all: Entry[]): Entry[] {
  const firsts = new Map<string, Entry>();
  for (const entry of all) {
    const name = shortName(entry);
    const key = entry.pid === null ? entry.owner : `${entry.pid} ${name.replace(/\.instance.*$/, '')}`;
    const other = firsts.get(key);
    if (other === undefined || name.length < shortName(other).length) firsts.set(key, entry);
  }
  return [...firsts.values()];
}

/** Some own a second name with their process in it. */
function shortName({ names }: Entry): string {
  const all = [...names].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return (all[0] ?? '').slice(mprisPrefix.length + 1);
}

function toPlayer(entry: Entry): Player {
  const name = shortName(entry);
  return {
    ...parsePlayer(entry.properties),
    name,
    identity: entry.identity ?? name,
    owner: entry.owner,
    silent: entry.state !== 'known',
    heard: entry.heard,
    trackVersion: entry.trackVersion,
  };
}
