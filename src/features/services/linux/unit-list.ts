import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { isManaged, systemdManager, systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';
import type { Clock } from '../../../lib/clock.ts';
import { inSlices } from '../../../lib/slices.ts';
import { createThrottle } from '../../../lib/throttle.ts';
import type { UnitFileStates } from './unit-file-states.ts';
import { followUnits } from './unit-list.follow.ts';
import { type ListedUnit, parseListedUnits, withServiceChange, withUnitChange } from './unit-list.parse.ts';
import { createUnitQuestions } from './unit-list.requests.ts';

/** What one systemd manages, that of the machine or that of a user. */
export interface UnitList {
  /** Everything now; null: there is no systemd on this bus. `also`: units to look for although systemd has not loaded them. Throws BusError. */
  read(also?: readonly string[]): Promise<FoundUnits | null>;
  /** Calls back when something has changed, and when it is to be read once more. */
  watch(changed: () => void): () => void;
  close(): void;
}

export interface FoundUnits {
  /** running, degraded, starting …; null: it does not say. */
  state: string | null;
  /** The same array, and in it the same objects, as long as nothing has changed. */
  units: readonly ListedUnit[];
  /** Those that were asked for and have not been loaded: the state of their files by name. */
  unloaded: ReadonlyMap<string, string>;
}

const timeoutMs = 5000;
/** How long a read waits for what has to be asked of each unit; the list itself is always complete. */
const patienceMs = 700;
/** What comes and goes all the time is not listed more often. */
const listEveryMs = 1000;
const tellEveryMs = 250;
/** Somebody who asks once a minute, as those who collect metrics do, is not to make us ask for everything each time. */
const lingerMs = 75_000;
/** systemd does not begin to run on a machine that another one manages. */
const absentMs = 30_000;

/**
 * Lists the units once and then follows what systemd announces, so that a further read asks nothing. While nobody reads it, there is
 * neither a subscription nor a timer.
 */
export function createUnitList(bus: Bus, clock: Clock, fileStates: UnitFileStates): UnitList {
  const watchers = new Set<() => void>();
  const throttle = createThrottle(clock, tellEveryMs, () => {
    for (const watcher of watchers) watcher();
  });
  let units = new Map<string, ListedUnit>();
  let ordered: readonly ListedUnit[] = [];
  let state: string | null = null;
  let unloaded: ReadonlyMap<string, string> = new Map();
  let lookedFor: ReadonlySet<string> = new Set();
  let isListed = false;
  let isOrdered = false;
  let isStateKnown = false;
  let areFilesKnown = false;
  let listedAt = Number.NEGATIVE_INFINITY;
  let absentAt = Number.NEGATIVE_INFINITY;
  let following: Promise<() => void> | null = null;
  let reading: Promise<FoundUnits | null> | null = null;
  let cancelLinger = () => {};

  const replace = (unit: ListedUnit) => {
    units.set(unit.path, unit);
    isOrdered = false;
  };
  const questions = createUnitQuestions(bus, clock, {
    all: () => units.values(),
    get: (path) => units.get(path),
    replace,
  });

  const forget = () => {
    units = new Map();
    isListed = false;
    isStateKnown = false;
    areFilesKnown = false;
    isOrdered = false;
    absentAt = Number.NEGATIVE_INFINITY;
    fileStates.forget();
    questions.forget();
  };

  const follow = () =>
    followUnits(bus, {
      came(name) {
        if (!name.endsWith('.service')) return;
        isListed = false;
        throttle.ask();
      },
      went(path) {
        const unit = units.get(path);
        if (unit === undefined) return;
        units.delete(path);
        // It may be one that stays in sight although systemd has forgotten it.
        if (lookedFor.has(unit.name)) areFilesKnown = false;
        isOrdered = false;
        isStateKnown = false;
        throttle.ask();
      },
      unitChanged(path, values) {
        const unit = units.get(path);
        const changed = unit === undefined ? null : withUnitChange(unit, values);
        // One that was not worth listing may have failed, and another one may say too little.
        if (changed === null) isListed &&= unit === undefined && values.ActiveState !== 'failed';
        else if (changed !== unit) replace(changed);
        if (changed === unit || (unit === undefined && isListed)) return;
        isStateKnown = false;
        throttle.ask();
      },
      serviceChanged(path, values) {
        const unit = units.get(path);
        if (unit === undefined) return;
        const changed = withServiceChange(unit, values);
        if (changed === unit) return;
        replace(changed);
        throttle.ask();
      },
      filesChanged() {
        fileStates.forget();
        areFilesKnown = false;
        isListed = false;
        throttle.ask();
      },
      begunAnew() {
        forget();
        throttle.ask();
      },
    });

  const list = async () => {
    // What is announced while the list is on its way is not in it, perhaps.
    isListed = true;
    listedAt = clock.monotonic();
    try {
      const rows = await listUnits(bus);
      const before = units;
      units = new Map(parseListedUnits(rows, before).map((unit) => [unit.path, unit]));
      isOrdered = false;
      isStateKnown = false;
      areFilesKnown = false;
    } catch (error) {
      isListed = false;
      throw error;
    }
  };

  const lookForFiles = (also: readonly string[]): Promise<void> | null => {
    if (areFilesKnown && also.every((name) => lookedFor.has(name))) return null;
    areFilesKnown = true;
    return lookNow(also);
  };

  const lookNow = async (also: readonly string[]) => {
    lookedFor = new Set(also);
    const listed = [...units.values()];
    const names = new Set(listed.map(({ name }) => name));
    const states = await inSlices(clock, fileStates.read([...names, ...also]));
    for (const { path, name } of listed) {
      const unit = units.get(path);
      const enabled = states.get(name) ?? null;
      if (unit !== undefined && unit.enabled !== enabled) replace({ ...unit, enabled });
    }
    unloaded = new Map(
      also.flatMap((name) => {
        const state = names.has(name) ? null : (states.get(name) ?? null);
        return state === null ? [] : [[name, state]];
      }),
    );
  };

  const readNow = async (also: readonly string[]): Promise<FoundUnits | null> => {
    const startedAt = clock.monotonic();
    if (clock.monotonic() - absentAt < absentMs) return null;
    if (following === null) {
      if (!(await isManaged(bus, timeoutMs))) {
        absentAt = clock.monotonic();
        return null;
      }
      forget();
      following = follow();
      following.catch(() => {
        following = null;
      });
    }
    await following;
    const isDue = clock.monotonic() - listedAt >= listEveryMs;
    if (!isListed && (units.size === 0 || isDue)) await list();
    else if (!isListed) clock.after(listEveryMs, throttle.ask);
    // Before the many questions, behind which it would wait.
    if (!isStateKnown) {
      isStateKnown = true;
      state = await readState(bus);
    }
    const left = () => patienceMs - (clock.monotonic() - startedAt);
    await patiently(clock, left(), lookForFiles(also), throttle.ask);
    await patiently(clock, left(), questions.ask(), throttle.ask);
    if (!isOrdered) {
      isOrdered = true;
      ordered = [...units.values()].sort(failedFirst);
    }
    return { state, units: ordered, unloaded };
  };

  const leave = () => {
    cancelLinger();
    throttle.cancel();
    const left = following;
    following = null;
    forget();
    void left?.then(
      (stop) => stop(),
      () => {},
    );
  };

  const lingerOn = () => {
    cancelLinger();
    cancelLinger = watchers.size > 0 || following === null ? () => {} : clock.after(lingerMs, leave);
  };

  return {
    read(also = []) {
      cancelLinger();
      reading ??= readNow(also).finally(() => {
        reading = null;
        lingerOn();
      });
      return reading;
    },
    watch(changed) {
      watchers.add(changed);
      cancelLinger();
      return () => {
        watchers.delete(changed);
        lingerOn();
      };
    },
    close: leave,
  };
}

/** Waits for it for so long; it goes on after that, and calls back when it is done. */
async function patiently(clock: Clock, ms: number, work: Promise<void> | null, done: () => void): Promise<void> {
  if (work === null) return;
  const late = Promise.withResolvers<boolean>();
  const cancel = clock.after(Math.max(0, ms), () => late.resolve(true));
  const isLate = await Promise.race([work.then(() => false), late.promise]);
  cancel();
  if (isLate) work.then(done, () => {});
}

/** Failed ones come first, the others by name. */
const failedFirst = (a: ListedUnit, b: ListedUnit) =>
  Number(b.active === 'failed') - Number(a.active === 'failed') || (a.name < b.name ? -1 : 1);

/** All services, and whatever else has failed. */
async function listUnits(bus: Bus): Promise<unknown[]> {
  const ask = async (member: string, signature: string, body: unknown[]) => {
    const [rows] = await bus.call({ ...systemdManager, member, signature, body, timeoutMs });
    return Array.isArray(rows) ? rows : [];
  };
  try {
    const [services, failed] = await Promise.all([
      ask('ListUnitsByPatterns', 'asas', [[], ['*.service']]),
      ask('ListUnitsFiltered', 'as', [['failed']]),
    ]);
    return [...services, ...failed];
  } catch (error) {
    // Before systemd 230 there are no patterns.
    if (!(error instanceof BusError && error.errorName === 'org.freedesktop.DBus.Error.UnknownMethod')) throw error;
    return await ask('ListUnits', '', []);
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
