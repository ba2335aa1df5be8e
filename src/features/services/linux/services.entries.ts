import type { Clock } from '../../../lib/clock.ts';
import { failedFirst } from '../services.payload.ts';
import type { ServiceScope, ServiceUnit } from '../services.schema.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import type { Facts, ListedUnit } from './unit-list.parse.ts';
import { lacksDetails } from './unit-list.requests.ts';
import type { FoundUnits } from './unit-list.ts';

export interface FoundEntries {
  /** An unchanged unit is the same object as before. */
  units: readonly ServiceUnit[];
  /** Number of units whose properties are not complete yet. */
  open: number;
}

/** Changes come in bursts; memory and CPU time are read at most this often. */
const usedEveryMs = 900;

interface Shown {
  unit: ListedUnit;
  entry: ServiceUnit;
}

/** The units of both managers, in the form of the payload. */
export function createServiceEntries(usage: CgroupUsage, clock: Pick<Clock, 'monotonic'>) {
  const shown = { system: new Map<string, Shown>(), user: new Map<string, Shown>() };
  let usedAt = Number.NEGATIVE_INFINITY;
  let lastAllowed: readonly string[] = [];
  const isAllowed = (scope: ServiceScope, name: string) =>
    lastAllowed.includes(scope === 'user' ? `user:${name}` : name);

  const entryOf = (scope: ServiceScope, unit: ListedUnit, isDue: boolean): ServiceUnit => {
    const before = shown[scope].get(unit.path);
    const isSame = before?.unit === unit;
    if (isSame && (!isDue || !unit.cgroup)) return before.entry;
    const { memory, cpu } = unit.cgroup ? usage.read(unit.cgroup) : nothingUsed;
    // Hundredths are enough: most services use less between two reads.
    const cpu_time = cpu === null ? null : Math.round(cpu * 100) / 100;
    if (isSame && before.entry.memory === memory && before.entry.cpu_time === cpu_time) return before.entry;
    const entry = toEntry(scope, unit, isAllowed(scope, unit.name), memory, cpu_time);
    shown[scope].set(unit.path, { unit, entry });
    return entry;
  };

  const entriesOf = (scope: ServiceScope, found: FoundUnits | null, isDue: boolean): ServiceUnit[] => {
    const units = found?.units ?? [];
    const entries = units.map((unit) => entryOf(scope, unit, isDue));
    if (shown[scope].size > units.length) {
      const known = new Set(units.map(({ path }) => path));
      for (const path of shown[scope].keys()) if (!known.has(path)) shown[scope].delete(path);
    }
    // systemd unloads units that are neither active nor needed; allowed units stay in the list.
    for (const [name, enabled] of found?.unloaded ?? [])
      entries.push(toEntry(scope, { ...unloaded, name, description: name, enabled }, true, null, null));
    return entries;
  };

  /** `allowed`: the allowlist of the settings; user units have the prefix `user:`. */
  return (system: FoundUnits | null, user: FoundUnits | null, allowed: readonly string[]): FoundEntries => {
    if (allowed !== lastAllowed) {
      lastAllowed = allowed;
      // Every entry contains `allowed`.
      for (const known of Object.values(shown)) known.clear();
    }
    const isDue = clock.monotonic() - usedAt >= usedEveryMs;
    if (isDue) usedAt = clock.monotonic();
    const all = [...entriesOf('system', system, isDue), ...entriesOf('user', user, isDue)];
    const known = [...(system?.units ?? []), ...(user?.units ?? [])];
    if (isDue) usage.keepOnly(new Set(known.flatMap(({ cgroup }) => cgroup ?? [])));
    return { units: failedFirst(all), open: known.filter(isOpen).length };
  };
}

const unloaded = { load: 'unloaded', active: 'inactive', sub: 'dead' };
const nothingUsed = { memory: null, cpu: null };
const isOpen = (unit: ListedUnit) => unit.enabled === undefined || lacksDetails(unit);

function toEntry(
  scope: ServiceScope,
  unit: Facts & Partial<ListedUnit>,
  allowed: boolean,
  memory: number | null,
  cpu_time: number | null,
): ServiceUnit {
  return {
    name: unit.name,
    scope,
    description: unit.description,
    allowed,
    load_state: unit.load,
    active_state: unit.active,
    sub_state: unit.sub,
    since: unit.since ?? null,
    main_pid: unit.mainPid ?? null,
    memory,
    cpu_time,
    restarts: unit.restarts ?? null,
    enabled: unit.enabled ?? null,
  };
}
