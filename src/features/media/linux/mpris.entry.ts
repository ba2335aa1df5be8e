import { type PlayerFacts, parsePlayer } from './mpris.values.ts';

export const mprisPrefix = 'org.mpris.MediaPlayer2';

/** What is remembered of one connection that has a player's name. */
export interface PlayerEntry {
  owner: string;
  names: Set<string>;
  /** Its process; null: not known. */
  pid: number | null;
  identity: string | null;
  properties: Map<string, unknown>;
  /** While it is asked for everything. */
  asking: Promise<boolean> | null;
  /** What it announced since it was asked for everything: never older than the answer. */
  meanwhile: Map<string, unknown>;
  heard: Player['heard'];
  /** Another number whenever it was heard or asked where it is: answers to earlier questions may be older than that. */
  moves: number;
  trackVersion: number;
  /** When anything about it changed last, on the monotonic clock. */
  changedAt: number;
  /** The last of a count: who played later has a larger one. 0: never seen playing. */
  played: number;
  state: 'asked' | 'known' | 'silent';
  /** When it was asked last, on the monotonic clock. */
  askedAt: number;
}

export function newEntry(owner: string): PlayerEntry {
  return {
    owner,
    names: new Set(),
    pid: null,
    identity: null,
    properties: new Map(),
    asking: null,
    meanwhile: new Map(),
    heard: null,
    moves: 0,
    trackVersion: 0,
    changedAt: 0,
    played: 0,
    state: 'asked',
    askedAt: 0,
  };
}

export function isNewTrack(before: Map<string, unknown>, after: Map<string, unknown>): boolean {
  const { track: old } = parsePlayer(before);
  const { track } = parsePlayer(after);
  return old.id !== track.id || old.url !== track.url || old.title !== track.title;
}

export function currentPosition(entry: PlayerEntry, now: number): number | null {
  const { status, rate } = parsePlayer(entry.properties);
  if (entry.heard === null) return null;
  return entry.heard.position + (status === 'PLAYING' ? ((now - entry.heard.at) / 1000) * rate : 0);
}

const ranks = new Map<string, number>([
  ['Playing', 0],
  ['Paused', 2],
  ['Stopped', 3],
]);

/** That which plays, else the last that did; then those that pause before those that stand still. */
export function byImportance(a: PlayerEntry, b: PlayerEntry): number {
  const rank = ({ state, properties, played }: PlayerEntry) => {
    if (state !== 'known') return 9;
    const own = ranks.get(String(properties.get('PlaybackStatus'))) ?? 4;
    return own > 0 && played > 0 ? 1 : own;
  };
  return rank(a) - rank(b) || b.played - a.played || (shortName(a) < shortName(b) ? -1 : 1);
}

/** VLC connects twice, as `vlc` and as `vlc.instance4711`: of one process with one name, one is enough. */
export function withoutSeconds(all: PlayerEntry[]): PlayerEntry[] {
  const firsts = new Map<string, PlayerEntry>();
  for (const entry of all) {
    const name = shortName(entry);
    const key = entry.pid === null ? entry.owner : `${entry.pid} ${name.replace(/\.instance.*$/, '')}`;
    const other = firsts.get(key);
    if (other === undefined || name.length < shortName(other).length) firsts.set(key, entry);
  }
  return [...firsts.values()];
}

/** Some own a second name with their process in it. */
function shortName({ names }: PlayerEntry): string {
  const all = [...names].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return (all[0] ?? '').slice(mprisPrefix.length + 1);
}

export function toPlayer(entry: PlayerEntry): Player {
  const name = shortName(entry);
  return {
    ...parsePlayer(entry.properties),
    name,
    identity: entry.identity ?? name,
    owner: entry.owner,
    silent: entry.state !== 'known',
    heard: entry.heard,
    trackVersion: entry.trackVersion,
    changedAt: entry.changedAt,
  };
}

export interface Player extends PlayerFacts {
  /** How it is called on the bus, such as `vlc` or `chromium.instance4711`. */
  name: string;
  /** How it calls itself. */
  identity: string;
  /** Its connection to the bus: another one when it was restarted. */
  owner: string;
  /** It is there, but does not answer; everything else about it is unknown. */
  silent: boolean;
  /** Position in seconds and the moment it was true, on the monotonic clock. null: not known. */
  heard: { position: number; at: number } | null;
  /** Another number whenever what is played, or what it looks like, may be another. */
  trackVersion: number;
  /** When anything about it changed last, on the monotonic clock. */
  changedAt: number;
}
