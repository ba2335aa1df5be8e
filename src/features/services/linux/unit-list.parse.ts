/** A unit as its manager reports it. undefined: not queried yet. null: the unit has no such value. */
export interface ListedUnit {
  readonly path: string;
  readonly name: string;
  readonly description: string;
  /** loaded, masked, error, bad-setting … */
  readonly load: string;
  /** active, reloading, inactive, failed, activating, deactivating … */
  readonly active: string;
  readonly sub: string;
  /** Unix seconds. */
  readonly since: number | null | undefined;
  readonly mainPid: number | null | undefined;
  readonly restarts: number | null | undefined;
  /** State of its file: enabled, disabled, static, masked … */
  readonly enabled: string | null | undefined;
  /** Path of its control group. */
  readonly cgroup: string | null | undefined;
}

/** What is known of the units; a flag that is false has its part read again. */
export type UnitCache = ReturnType<typeof emptyCache>;

export const emptyCache = () => ({
  units: new Map<string, ListedUnit>(),
  isListed: false,
  listedAt: Number.NEGATIVE_INFINITY,
  /** null: to be put in order again. */
  ordered: null as readonly ListedUnit[] | null,
  state: null as string | null,
  isStateKnown: false,
  /** Units of `also` that are not loaded: the state of their files by name. */
  unloaded: new Map<string, string>(),
  /** Names of `also` at the last read of the files. */
  wanted: new Set<string>(),
  areFilesKnown: false,
});

export function replaceUnit(cache: UnitCache, unit: ListedUnit): void {
  cache.units.set(unit.path, unit);
  cache.ordered = null;
}

/** Authors of units choose names and descriptions freely. */
const longestName = 256;
const longestDescription = 512;

/** The timestamp of the last state change, as in `systemctl status`. */
export function sinceProperty(active: string): string {
  if (active === 'activating') return 'InactiveExitTimestamp';
  if (active === 'deactivating') return 'ActiveExitTimestamp';
  return hasProcesses(active) ? 'ActiveEnterTimestamp' : 'InactiveEnterTimestamp';
}

/** Whether a unit in this state can have processes, and so a control group. */
function hasProcesses(active: string): boolean {
  return active !== 'inactive' && active !== 'failed' && active !== 'maintenance';
}

/** Microseconds of systemd; 0: never. */
export function parseSystemdTime(value: unknown): number | null {
  const seconds = Number(value ?? 0) / 1e6;
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) / 1000 : null;
}

export function parsePid(value: unknown): number | null {
  const pid = Number(value ?? 0);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

export function parseCount(value: unknown): number | null {
  const count = Number(value ?? Number.NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** Accepts only an absolute path without `.` and `..`. */
export function parseControlGroup(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 4096 || !value.startsWith('/') || value.includes('\0')) return null;
  const names = value.split('/').slice(1);
  return names.every((name) => name !== '' && name !== '.' && name !== '..') ? value : null;
}

/**
 * `a(ssssssouso)`: name, description, load, active and sub state, followed unit, path, job. Queried properties of a unit stay valid while
 * its state is unchanged. Contains services that exist, and failed units of every kind.
 */
export function parseListedUnits(rows: readonly unknown[], before: ReadonlyMap<string, ListedUnit>): ListedUnit[] {
  const units = new Map<string, ListedUnit>();
  for (const row of rows) {
    if (!Array.isArray(row)) continue;
    const [name, description, load, active, sub, , path] = row as unknown[];
    if (typeof name !== 'string' || typeof path !== 'string' || name === '' || name.length > longestName) continue;
    const isService = name.endsWith('.service');
    if (active !== 'failed' && (!isService || load === 'not-found')) continue;
    const known = before.get(path);
    const listed = {
      path,
      name,
      description: String(description).slice(0, longestDescription),
      load: String(load),
      active: String(active),
      sub: String(sub),
    };
    units.set(path, known === undefined ? unqueried(listed) : merged(known, listed));
  }
  return [...units.values()];
}

export type Facts = Pick<ListedUnit, 'name' | 'description' | 'load' | 'active' | 'sub'>;

function unqueried(facts: Facts & { path: string }): ListedUnit {
  const isService = facts.name.endsWith('.service');
  const isThere = facts.load !== 'not-found';
  return {
    ...facts,
    since: isThere ? undefined : null,
    mainPid: isService && isThere ? undefined : null,
    restarts: isService && isThere ? undefined : null,
    enabled: undefined,
    cgroup: isService && hasProcesses(facts.active) ? undefined : null,
  };
}

function merged(known: ListedUnit, facts: Facts & { path: string }): ListedUnit {
  const { description, load, active, sub } = facts;
  if (known.active !== active || known.load !== load) return { ...unqueried(facts), enabled: known.enabled };
  if (known.description === description && known.sub === sub) return known;
  return { ...known, ...facts };
}

/** Applies a signal. The same object: nothing visible changed. null: the signal is incomplete, or the unit leaves the list. */
export function withUnitChange(unit: ListedUnit, values: Record<string, unknown>): ListedUnit | null {
  const { ActiveState: active, SubState: sub } = values;
  if (typeof active !== 'string' || typeof sub !== 'string') return null;
  const isService = unit.name.endsWith('.service');
  if (!isService && active !== 'failed') return null;
  const at = values[sinceProperty(active)];
  const since = at === undefined ? undefined : parseSystemdTime(at);
  if (active === unit.active && sub === unit.sub && since === unit.since) return unit;
  const hasGroup = isService && hasProcesses(active);
  // A stopped unit may be started in another group.
  const cgroup = hasGroup ? (unit.cgroup === null || !hasProcesses(unit.active) ? undefined : unit.cgroup) : null;
  return { ...unit, active, sub, since, cgroup };
}

export function withServiceChange(unit: ListedUnit, values: Record<string, unknown>): ListedUnit {
  const mainPid = 'MainPID' in values ? parsePid(values.MainPID) : unit.mainPid;
  const restarts = 'NRestarts' in values ? parseCount(values.NRestarts) : unit.restarts;
  return mainPid === unit.mainPid && restarts === unit.restarts ? unit : { ...unit, mainPid, restarts };
}
