import { parsePlayer } from './mpris.values.ts';

export const mprisPrefix = 'org.mpris.MediaPlayer2';

/** One bus connection that owns the name of a player. */
export interface PlayerEntry {
  owner: string;
  names: Set<string>;
  /** Its process; null: unknown. */
  pid: number | null;
  identity: string | null;
  properties: Map<string, unknown>;
  /** The running query of all properties. */
  querying: Promise<boolean> | null;
  /** Properties announced since the query started: never older than its answer. */
  meanwhile: Map<string, unknown>;
  observed: Player['observed'];
  /** Changes with every announced or queried position: answers to earlier queries are outdated. */
  moves: number;
  trackVersion: number;
  /** Last change of any kind, on the monotonic clock. */
  changedAt: number;
  /** A sequence number of when it last played; 0: never seen playing. */
  played: number;
  state: 'unknown' | 'known' | 'silent';
  /** Last query, on the monotonic clock. */
  queriedAt: number;
}

export function newEntry(owner: string): PlayerEntry {
  return {
    owner,
    names: new Set(),
    pid: null,
    identity: null,
    properties: new Map(),
    querying: null,
    meanwhile: new Map(),
    observed: null,
    moves: 0,
    trackVersion: 0,
    changedAt: 0,
    played: 0,
    state: 'unknown',
    queriedAt: 0,
  };
}

export function isNewTrack(before: Map<string, unknown>, after: Map<string, unknown>): boolean {
  const { track: old } = parsePlayer(before);
  const { track } = parsePlayer(after);
  return old.id !== track.id || old.url !== track.url || old.title !== track.title;
}

/** Extrapolated, seconds. */
export const currentPosition = ({ properties, observed }: PlayerEntry, now: number) =>
  extrapolated({ ...parsePlayer(properties), observed }, now);

/** The same, within the track. */
export function positionAt(player: Player, now: number): number | null {
  const position = extrapolated(player, now);
  return position && Math.max(0, Math.min(position, player.track.length || Number.POSITIVE_INFINITY));
}

function extrapolated({ observed, status, rate }: Pick<Player, 'observed' | 'status' | 'rate'>, now: number) {
  if (observed === null) return null;
  return observed.position + (status === 'PLAYING' ? ((now - observed.at) / 1000) * rate : 0);
}

const ranks = new Map<string, number>([
  ['Playing', 0],
  ['Paused', 2],
  ['Stopped', 3],
]);

/** The playing player first, then the one that played last, then paused before stopped ones. */
export function byImportance(a: PlayerEntry, b: PlayerEntry): number {
  const rank = ({ state, properties, played }: PlayerEntry) => {
    if (state !== 'known') return 9;
    const own = ranks.get(String(properties.get('PlaybackStatus'))) ?? 4;
    return own > 0 && played > 0 ? 1 : own;
  };
  return rank(a) - rank(b) || b.played - a.played || (shortName(a) < shortName(b) ? -1 : 1);
}

/** VLC connects twice, as `vlc` and as `vlc.instance4711`: one entry per process and name. */
export function withoutDuplicates(all: PlayerEntry[]): PlayerEntry[] {
  const firsts = new Map<string, PlayerEntry>();
  for (const entry of all) {
    const name = shortName(entry);
    const key = entry.pid === null ? entry.owner : `${entry.pid} ${name.replace(/\.instance.*$/, '')}`;
    const other = firsts.get(key);
    if (other === undefined || name.length < shortName(other).length) firsts.set(key, entry);
  }
  return [...firsts.values()];
}

/** Some players own a second name that contains their PID. */
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
    observed: entry.observed,
    trackVersion: entry.trackVersion,
    changedAt: entry.changedAt,
  };
}

export interface Player extends ReturnType<typeof parsePlayer> {
  /** Its name on the bus, such as `vlc` or `chromium.instance4711`. */
  name: string;
  /** Its display name. */
  identity: string;
  /** Its connection to the bus, which changes with a restart. */
  owner: string;
  /** It does not answer; all other fields are unknown. */
  silent: boolean;
  /** Position in seconds, and when it was reported, on the monotonic clock. null: unknown. */
  observed: { position: number; at: number } | null;
  /** Changes whenever the track or its artwork may have changed. */
  trackVersion: number;
  /** Last change of any kind, on the monotonic clock. */
  changedAt: number;
}
