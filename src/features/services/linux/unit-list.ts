import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { isManaged, systemdManager, systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';
import { type Clock, settledWithin } from '../../../lib/clock.ts';
import { inSlices } from '../../../lib/slices.ts';
import { createThrottle } from '../../../lib/throttle.ts';
import type { UnitFileStates } from './unit-file-states.ts';
import { followUnits, type UnitEvents } from './unit-list.follow.ts';
import {
  emptyCache,
  type ListedUnit,
  parseListedUnits,
  replaceUnit,
  type UnitCache,
  withServiceChange,
  withUnitChange,
} from './unit-list.parse.ts';
import { createUnitDetails, type UnitDetails } from './unit-list.requests.ts';

export interface FoundUnits {
  /** running, degraded, starting …; null: unknown. */
  state: string | null;
  /** The same array and the same objects while nothing changes. */
  units: readonly ListedUnit[];
  unloaded: UnitCache['unloaded'];
}

const timeoutMs = 5000;
/** How long a read waits for the properties of single units; the list itself is always complete. */
const detailsWithinMs = 700;
/** Limits listing on machines where units come and go constantly. */
const listEveryMs = 1000;
const notifyEveryMs = 250;
/** Scrapers read once a minute: the subscription outlives their interval, so that they do not list everything each time. */
const lingerMs = 75_000;
/** How long the absence of systemd is cached. */
const absentMs = 30_000;

interface ListParts {
  bus: Bus;
  clock: Clock;
  fileStates: UnitFileStates;
  details: UnitDetails;
  notify: () => void;
}

/**
 * The units of one systemd, that of the machine or that of a user. Lists them once and then follows the signals of systemd. Without readers
 * it has neither a subscription nor a timer.
 */
export function createUnitList(bus: Bus, clock: Clock, fileStates: UnitFileStates) {
  let watcher: (() => void) | null = null;
  const throttle = createThrottle(clock, notifyEveryMs, () => watcher?.());
  const cache = emptyCache();
  const details = createUnitDetails(bus, clock, cache);
  const parts: ListParts = { bus, clock, fileStates, details, notify: throttle.ask };
  let absentAt = Number.NEGATIVE_INFINITY;
  let following: Promise<() => void> | null = null;
  let reading: Promise<FoundUnits | null> | null = null;
  let cancelLinger = () => {};

  const forget = () => {
    Object.assign(cache, emptyCache());
    absentAt = Number.NEGATIVE_INFINITY;
    fileStates.forget();
    details.forget();
  };
  const events = unitEvents(cache, parts, forget);

  /** false: no systemd on this bus. */
  const follow = async (): Promise<boolean> => {
    if (clock.monotonic() - absentAt < absentMs) return false;
    if (following === null) {
      if (!(await isManaged(bus, timeoutMs))) {
        absentAt = clock.monotonic();
        return false;
      }
      forget();
      following = followUnits(bus, events);
      following.catch(() => {
        following = null;
      });
    }
    await following;
    return true;
  };

  const readNow = async (also: readonly string[]): Promise<FoundUnits | null> => {
    const deadline = clock.monotonic() + detailsWithinMs;
    return (await follow()) ? await readUnits(cache, parts, also, deadline) : null;
  };

  const close = () => {
    cancelLinger();
    throttle.cancel();
    const left = following;
    following = null;
    forget();
    void left?.then((stop) => stop()).catch(() => {});
  };

  const linger = () => {
    cancelLinger();
    cancelLinger = watcher !== null || following === null ? () => {} : clock.after(lingerMs, close);
  };

  return {
    /** null: no systemd on this bus. `also`: units to include although systemd has not loaded them. Throws BusError. */
    read(also: readonly string[]): Promise<FoundUnits | null> {
      cancelLinger();
      reading ??= readNow(also).finally(() => {
        reading = null;
        linger();
      });
      return reading;
    },
    /** Calls back when a read would return something new. */
    watch(changed: () => void): () => void {
      watcher = changed;
      cancelLinger();
      return () => {
        watcher = null;
        linger();
      };
    },
    close,
  };
}

function unitEvents(cache: UnitCache, { fileStates, notify }: ListParts, forget: () => void): UnitEvents {
  return {
    added(name) {
      if (!name.endsWith('.service')) return;
      cache.isListed = false;
      notify();
    },
    removed(path) {
      const unit = cache.units.get(path);
      if (unit === undefined) return;
      cache.units.delete(path);
      // An allowed unit stays in the list after systemd has unloaded it.
      if (cache.wanted.has(unit.name)) cache.areFilesKnown = false;
      cache.ordered = null;
      cache.isStateKnown = false;
      notify();
    },
    unitChanged(path, values) {
      const unit = cache.units.get(path);
      const changed = unit === undefined ? null : withUnitChange(unit, values);
      // List again for an unlisted unit that failed, and for a signal that is incomplete.
      if (changed === null) cache.isListed &&= unit === undefined && values.ActiveState !== 'failed';
      else if (changed !== unit) replaceUnit(cache, changed);
      if (changed === unit || (unit === undefined && cache.isListed)) return;
      cache.isStateKnown = false;
      notify();
    },
    serviceChanged(path, values) {
      const unit = cache.units.get(path);
      if (unit === undefined) return;
      const changed = withServiceChange(unit, values);
      if (changed === unit) return;
      replaceUnit(cache, changed);
      notify();
    },
    filesChanged() {
      fileStates.forget();
      cache.areFilesKnown = false;
      cache.isListed = false;
      notify();
    },
    restarted() {
      forget();
      notify();
    },
  };
}

/** Waits for files and details until the deadline; they are announced when they arrive later. */
async function readUnits(
  cache: UnitCache,
  parts: ListParts,
  also: readonly string[],
  deadline: number,
): Promise<FoundUnits> {
  const { bus, clock, details, notify } = parts;
  const isDue = clock.monotonic() - cache.listedAt >= listEveryMs;
  if (!cache.isListed && (cache.units.size === 0 || isDue)) await listAgain(cache, parts);
  else if (!cache.isListed) clock.after(listEveryMs, notify);
  // Before the property queries, behind which it would be queued.
  if (!cache.isStateKnown) {
    cache.isStateKnown = true;
    cache.state = await readState(bus);
  }
  const areFilesKnown = cache.areFilesKnown && also.every((name) => cache.wanted.has(name));
  await waitUntil(clock, deadline, areFilesKnown ? null : readFiles(cache, parts, also), notify);
  await waitUntil(clock, deadline, details.query(), notify);
  cache.ordered ??= [...cache.units.values()].sort(failedFirst);
  return { state: cache.state, units: cache.ordered, unloaded: cache.unloaded };
}

async function listAgain(cache: UnitCache, { bus, clock }: ListParts): Promise<void> {
  // A signal that arrives during the call may be missing in the list and resets this.
  cache.isListed = true;
  cache.listedAt = clock.monotonic();
  try {
    const rows = await listUnits(bus);
    cache.units = new Map(parseListedUnits(rows, cache.units).map((unit) => [unit.path, unit]));
    cache.ordered = null;
    cache.isStateKnown = false;
    cache.areFilesKnown = false;
  } catch (error) {
    cache.isListed = false;
    throw error;
  }
}

async function readFiles(cache: UnitCache, { clock, fileStates }: ListParts, also: readonly string[]): Promise<void> {
  cache.areFilesKnown = true;
  cache.wanted = new Set(also);
  const listed = [...cache.units.values()];
  const names = new Set(listed.map(({ name }) => name));
  const states = await inSlices(clock, fileStates.read([...names, ...also]));
  for (const { path, name } of listed) {
    const unit = cache.units.get(path);
    const enabled = states.get(name) ?? null;
    if (unit !== undefined && unit.enabled !== enabled) replaceUnit(cache, { ...unit, enabled });
  }
  cache.unloaded = new Map(
    also.flatMap((name) => {
      const state = names.has(name) ? null : (states.get(name) ?? null);
      return state === null ? [] : [[name, state]];
    }),
  );
}

/** Waits until the deadline at most. Work that takes longer continues and calls `done` at its end. */
async function waitUntil(clock: Clock, deadline: number, work: Promise<void> | null, done: () => void): Promise<void> {
  if (work === null) return;
  if (await settledWithin(clock, work, Math.max(0, deadline - clock.monotonic()))) return await work;
  work.then(done, () => {});
}

const failedFirst = (a: ListedUnit, b: ListedUnit) =>
  Number(b.active === 'failed') - Number(a.active === 'failed') || (a.name < b.name ? -1 : 1);

/** All services, and failed units of every kind. */
async function listUnits(bus: Bus): Promise<unknown[]> {
  const call = async (member: string, signature: string, body: unknown[]) => {
    const [rows] = await bus.call({ ...systemdManager, member, signature, body, timeoutMs });
    return Array.isArray(rows) ? rows : [];
  };
  try {
    const [services, failed] = await Promise.all([
      call('ListUnitsByPatterns', 'asas', [[], ['*.service']]),
      call('ListUnitsFiltered', 'as', [['failed']]),
    ]);
    return [...services, ...failed];
  } catch (error) {
    // systemd before 230 has no patterns.
    if (!(error instanceof BusError && error.errorName === 'org.freedesktop.DBus.Error.UnknownMethod')) throw error;
    return await call('ListUnits', '', []);
  }
}

async function readState(bus: Bus): Promise<string | null> {
  try {
    return String(await systemdProperty(bus, systemdManager.path, 'Manager', 'SystemState', timeoutMs));
  } catch (error) {
    if (error instanceof BusError) return null;
    throw error;
  }
}
