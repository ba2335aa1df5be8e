import { type Bus, BusError, busDaemon } from '@hostler/dbus/dbus.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import {
  byImportance,
  currentPosition,
  isNewTrack,
  mprisPrefix,
  newEntry,
  type Player,
  type PlayerEntry,
  toPlayer,
  withoutDuplicates,
} from './mpris.entry.ts';
import { metadataText, propertiesIn, toNumber, toSeconds } from './mpris.values.ts';

export type Players = ReturnType<typeof createPlayers>;

interface PlayersParts {
  bus: Bus;
  clock: Clock;
  changed(): void;
  isFollowed(): boolean;
}

interface PlayersState extends PlayersParts {
  entries: Map<string, PlayerEntry>;
  /** The last sequence number of `played`. */
  playedCount: number;
  /** Whether there are more players than `mostPlayers`. */
  isCut: boolean;
  loadedAt: number;
}

const properties = 'org.freedesktop.DBus.Properties';
const answerTimeoutMs = 2000;
/** How long the other players are awaited once one has answered, ms. */
const graceMs = 300;
/** A player that hangs is queried again after this time, and then at most this often, ms. */
const secondQueryMs = 3000;
const silentMs = 10_000;
/** playerctld is a proxy of the other players. */
const notPlayers = new Set([`${mprisPrefix}.playerctld`]);
/** Further players are loaded when one of these has ended. */
const mostPlayers = 100;
const mostNames = 8;
/** Pause between two loads for players beyond the limit, ms. */
const loadAgainMs = 3000;

/** The players on a bus. */
export function createPlayers(parts: PlayersParts) {
  const state: PlayersState = {
    ...parts,
    entries: new Map(),
    playedCount: 0,
    isCut: false,
    loadedAt: Number.NEGATIVE_INFINITY,
  };
  const { entries, clock, changed } = state;
  return {
    /** The current one first. Queries players that hang again, in the background. */
    list(): Player[] {
      querySilent(state);
      loadMore(state);
      return sorted(state);
    },
    /** Queries all players; those that hang are awaited only briefly once another has answered. */
    load: () => load(state),
    clear: () => entries.clear(),
    nameOwnerChanged: (name: string, before: string, after: string) => changeOwner(state, name, before, after),
    propertiesChanged: (owner: string, values: unknown, invalidated: unknown) =>
      changeProperties(state, owner, values, invalidated),
    seeked(owner: string, position: number | null) {
      const entry = entries.get(owner);
      if (position !== null) entry?.meanwhile.set('Position', position * 1_000_000);
      if (entry?.state !== 'known') return;
      if (position === null) void queryPosition(state, entry);
      else {
        jump(state, entry, position);
        changed();
      }
    },
    /** It did not answer a call. It is not the current player until it answers or sends a signal. */
    timedOut(owner: string) {
      const entry = entries.get(owner);
      if (entry === undefined) return;
      entry.queriedAt = clock.monotonic();
      markSilent(state, entry);
      changed();
    },
  };
}

const sorted = ({ entries }: PlayersState) =>
  withoutDuplicates([...entries.values()])
    .sort(byImportance)
    .map(toPlayer);

async function load(state: PlayersState): Promise<Player[]> {
  const { entries, clock, changed } = state;
  // Players that appear during the load come from signals and stay.
  const before = [...entries.keys()];
  state.loadedAt = clock.monotonic();
  const owners = await findOwners(state);
  for (const owner of before) if (!owners.has(owner)) entries.delete(owner);
  for (const [owner, names] of owners) for (const name of names) addName(state, owner, name);
  let isOver = false;
  const answers = [...entries.values()]
    .filter((entry) => entry.state !== 'silent')
    .map(async (entry) => {
      const answered = await query(state, entry);
      if (isOver) changed();
      return answered;
    });
  querySilent(state);
  const firstAnswer = Promise.any(answers.map(async (answer) => (await answer) || Promise.reject()));
  const longEnough = firstAnswer.then(
    () => sleep(clock, graceMs),
    () => {},
  );
  await Promise.race([Promise.all(answers), longEnough]);
  isOver = true;
  return sorted(state);
}

/** Loads players beyond the limit once there is room. */
function loadMore(state: PlayersState): void {
  const { entries, isCut, loadedAt, clock, changed } = state;
  if (!isCut || entries.size >= mostPlayers || clock.monotonic() - loadedAt < loadAgainMs) return;
  void load(state).then(changed, () => {});
}

async function findOwners(state: PlayersState): Promise<Map<string, string[]>> {
  const names = await call(state, busDaemon.destination, 'ListNames', []);
  const all = (Array.isArray(names) ? names.map(String) : []).filter(isPlayer);
  // Known players have precedence.
  const known = new Set([...state.entries.values()].flatMap((entry) => [...entry.names]));
  const ordered = [...all.filter((name) => known.has(name)), ...all.filter((name) => !known.has(name))];
  const players = ordered.slice(0, mostPlayers);
  state.isCut = all.length > players.length;
  const owners = new Map<string, string[]>();
  await Promise.all(
    players.map(async (name) => {
      // It may have ended since the list.
      const owner = await call(state, busDaemon.destination, 'GetNameOwner', [name]).catch(() => null);
      if (typeof owner === 'string') owners.set(owner, [...(owners.get(owner) ?? []), name]);
    }),
  );
  return owners;
}

/** null: the limit is reached. */
function addName(state: PlayersState, owner: string, name: string): PlayerEntry | null {
  const { entries } = state;
  if (!entries.has(owner) && entries.size >= mostPlayers) {
    state.isCut = true;
    return null;
  }
  const entry = entries.get(owner) ?? newEntry(owner);
  if (entry.names.size < mostNames) entry.names.add(name);
  entries.set(owner, entry);
  return entry;
}

/** true: it has answered; false: it hangs or has ended. Concurrent calls share the query. */
function query(state: PlayersState, entry: PlayerEntry): Promise<boolean> {
  entry.querying ??= queryNow(state, entry).finally(() => {
    entry.querying = null;
  });
  return entry.querying;
}

async function queryNow(state: PlayersState, entry: PlayerEntry): Promise<boolean> {
  const { entries } = state;
  const { owner } = entry;
  entry.queriedAt = state.clock.monotonic();
  entry.meanwhile.clear();
  try {
    const [identity, pid, values] = await Promise.all([
      entry.identity ?? call(state, owner, 'Get', [mprisPrefix, 'Identity']).catch(() => null),
      entry.pid ?? call(state, busDaemon.destination, 'GetConnectionUnixProcessID', [owner]).catch(() => null),
      call(state, owner, 'GetAll', [`${mprisPrefix}.Player`]),
    ]);
    if (entries.get(owner) !== entry) return false;
    const before = entry.properties.get('PlaybackStatus');
    entry.identity = metadataText(identity, 200);
    entry.pid = toNumber(pid);
    entry.properties = new Map([...propertiesIn(values), ...entry.meanwhile]);
    entry.state = 'known';
    entry.trackVersion += 1;
    notePosition(state, entry, toSeconds(entry.properties.get('Position')));
    noteStatus(state, entry, before);
    return true;
  } catch (error) {
    if (entries.get(owner) !== entry) return false;
    if (isGone(error)) entries.delete(owner);
    else markSilent(state, entry);
    return false;
  }
}

const queryAndNotify = (state: PlayersState, entry: PlayerEntry) =>
  void query(state, entry).finally(() => state.changed());

function querySilent(state: PlayersState): void {
  for (const entry of state.entries.values())
    if (entry.state === 'silent' && state.clock.monotonic() - entry.queriedAt > silentMs) queryAndNotify(state, entry);
}

/** It hangs or is not ready yet: it is queried again soon, and later with `querySilent`. */
function markSilent(state: PlayersState, entry: PlayerEntry): void {
  const isNews = entry.state !== 'silent';
  entry.state = 'silent';
  if (!isNews) return;
  state.clock.after(secondQueryMs, () => {
    const isCurrent = state.entries.get(entry.owner) === entry && entry.state === 'silent';
    if (state.isFollowed() && isCurrent) queryAndNotify(state, entry);
  });
}

/** The real position after a change, which players announce without it. */
async function queryPosition(state: PlayersState, entry: PlayerEntry): Promise<void> {
  entry.moves += 1;
  const { moves } = entry;
  try {
    const position = toSeconds(await call(state, entry.owner, 'Get', [`${mprisPrefix}.Player`, 'Position']));
    // A signal that was sent after the answer may be handled before it.
    if (state.entries.get(entry.owner) !== entry || entry.moves !== moves) return;
    const expected = currentPosition(entry, state.clock.monotonic());
    notePosition(state, entry, position);
    if (position === null || expected === null || Math.abs(position - expected) > 0.5) state.changed();
  } catch {}
}

function changeOwner(state: PlayersState, name: string, before: string, after: string): void {
  if (!isPlayer(name)) return;
  const { entries } = state;
  const left = entries.get(before);
  left?.names.delete(name);
  if (left?.names.size === 0) entries.delete(before);
  if (after !== '') {
    const isNew = !entries.has(after);
    const entry = addName(state, after, name);
    if (entry !== null && isNew) return queryAndNotify(state, entry);
    if (entry === null && left === undefined) return;
  } else if (left === undefined) return;
  state.changed();
  loadMore(state);
}

function changeProperties(state: PlayersState, owner: string, values: unknown, invalidated: unknown): void {
  const entry = state.entries.get(owner);
  if (entry === undefined) return;
  for (const [name, value] of propertiesIn(values)) entry.meanwhile.set(name, value);
  if (entry.state !== 'known') return queryAndNotify(state, entry);
  // Extrapolate with the old properties before they change.
  notePosition(state, entry, currentPosition(entry, state.clock.monotonic()));
  const before = entry.properties;
  entry.properties = new Map([...before, ...propertiesIn(values)]);
  const has = (name: string) => Object.hasOwn(Object(values), name);
  noteStatus(state, entry, before.get('PlaybackStatus'));
  if (has('Metadata')) entry.trackVersion += 1;
  if (has('Position')) jump(state, entry, toSeconds(entry.properties.get('Position')));
  else if (isNewTrack(before, entry.properties)) jump(state, entry, 0);
  if (Array.isArray(invalidated) && invalidated.length > 0) {
    // The answer of a running query may be older than this signal.
    return void Promise.resolve(entry.querying).then(() => queryAndNotify(state, entry));
  }
  state.changed();
  if (has('PlaybackStatus') || has('Rate') || has('Metadata')) void queryPosition(state, entry);
}

/** A player that starts or stops playing is the one that played last. */
function noteStatus(state: PlayersState, entry: PlayerEntry, before: unknown): void {
  const now = entry.properties.get('PlaybackStatus');
  if (now === before || (now !== 'Playing' && before !== 'Playing')) return;
  state.playedCount += 1;
  entry.played = state.playedCount;
}

function notePosition({ clock }: PlayersState, entry: PlayerEntry, position: number | null): void {
  entry.changedAt = clock.monotonic();
  entry.observed = position === null ? null : { position, at: clock.monotonic() };
}

/** An announced position: answers to running queries of it are outdated. */
function jump(state: PlayersState, entry: PlayerEntry, position: number | null): void {
  entry.moves += 1;
  notePosition(state, entry, position);
}

async function call({ bus }: PlayersState, destination: string, member: string, body: string[]): Promise<unknown> {
  const place =
    destination === busDaemon.destination
      ? busDaemon
      : { destination, path: '/org/mpris/MediaPlayer2', interface: properties };
  const signature = 's'.repeat(body.length);
  const [value] = await bus.call({ ...place, member, signature, body, timeoutMs: answerTimeoutMs });
  return value;
}

function isGone(error: unknown): boolean {
  return error instanceof BusError && /\.(ServiceUnknown|NameHasNoOwner|NoReply)$/.test(error.errorName);
}

function isPlayer(name: string): boolean {
  return name.startsWith(`${mprisPrefix}.`) && !notPlayers.has(name);
}
