import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';
import type { Clock } from '../../../lib/clock.ts';
import {
  type ListedUnit,
  parseControlGroup,
  parseCount,
  parsePid,
  parseSystemdTime,
  replaceUnit,
  sinceProperty,
  type UnitCache,
} from './unit-list.parse.ts';

export type UnitDetails = ReturnType<typeof createUnitDetails>;

const timeoutMs = 2000;
/** A bus forwards about a hundred pending calls of one connection. */
const atOnce = 12;
/** Pause after systemd did not answer. */
const restMs = 10_000;

/** A unit that changes constantly is not queried forever. */
const mostRounds = 3;

/** Queries the properties that the list of units lacks, once per unit, and again only after they became unknown. */
export function createUnitDetails(bus: Bus, clock: Clock, cache: UnitCache) {
  let running: Promise<void> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;

  const open = () => [...cache.units.values()].filter(lacksDetails);

  const run = async (isOurs: () => boolean) => {
    for (let round = 0; round < mostRounds; round += 1) {
      const next = open().values();
      const worker = async () => {
        for (const { path } of next) {
          // It may have changed while it was queued.
          const unit = cache.units.get(path);
          if (!isOurs() || unit === undefined) continue;
          const answers = await answersOf(bus, unit);
          const now = cache.units.get(path);
          if (isOurs() && now !== undefined) replaceUnit(cache, withAnswers(now, unit, answers));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
    }
  };

  const start = (): Promise<void> => {
    const mine = generation;
    return run(() => mine === generation).then(
      () => {},
      (error) => {
        if (!(error instanceof BusError)) throw error;
        if (mine === generation) failedAt = clock.monotonic();
      },
    );
  };

  return {
    /** Resolves when all properties are known, or when systemd does not answer; null: nothing is unknown. */
    query(): Promise<void> | null {
      if (running !== null) return running;
      if (clock.monotonic() - failedAt < restMs || open().length === 0) return null;
      const started = start().finally(() => {
        if (running === started) running = null;
      });
      running = started;
      return started;
    },
    forget(): void {
      generation += 1;
      failedAt = Number.NEGATIVE_INFINITY;
      running = null;
    },
  };
}

export const lacksDetails = (unit: ListedUnit) => queried.some((field) => unit[field] === undefined);

const queried = ['since', 'mainPid', 'restarts', 'cgroup'] as const;
type Answers = Partial<Pick<ListedUnit, (typeof queried)[number]>>;

async function answersOf(bus: Bus, unit: ListedUnit): Promise<Answers> {
  const query = async <T>(
    field: keyof Answers,
    kind: string,
    property: string,
    parse: (value: unknown) => T | null,
  ) => {
    if (unit[field] !== undefined) return;
    try {
      answers[field] = parse(await systemdProperty(bus, unit.path, kind, property, timeoutMs)) as never;
    } catch (error) {
      // The unit is gone, or an older systemd lacks the property. A timeout ends the whole query.
      if (!(error instanceof BusError) || error.errorName.startsWith('Client.')) throw error;
      answers[field] = null as never;
    }
  };
  const answers: { -readonly [F in keyof Answers]: Answers[F] } = {};
  await Promise.all([
    query('since', 'Unit', sinceProperty(unit.active), parseSystemdTime),
    query('mainPid', 'Service', 'MainPID', parsePid),
    query('restarts', 'Service', 'NRestarts', parseCount),
    query('cgroup', 'Service', 'ControlGroup', parseControlGroup),
  ]);
  return answers;
}

/** A signal that arrived during the query is newer than the answer. */
function withAnswers(now: ListedUnit, before: ListedUnit, answers: Answers): ListedUnit {
  const { since, cgroup, mainPid, restarts } = answers;
  const isSame = now.active === before.active;
  return {
    ...now,
    since: now.since === undefined && isSame ? since : now.since,
    cgroup: now.cgroup === undefined && isSame ? cgroup : now.cgroup,
    mainPid: now.mainPid === undefined ? mainPid : now.mainPid,
    restarts: now.restarts === undefined ? restarts : now.restarts,
  };
}
