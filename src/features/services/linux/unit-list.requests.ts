import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';
import type { Clock } from '../../../lib/clock.ts';
import {
  type ListedUnit,
  parseControlGroup,
  parseCount,
  parsePid,
  parseSystemdTime,
  sinceProperty,
} from './unit-list.parse.ts';

/** Asks of each unit what the list does not tell, once, and again only when it has become unknown. */
export interface UnitQuestions {
  /** Resolves when they are answered, or when systemd does not answer; null: nothing is unknown. */
  ask(): Promise<void> | null;
  forget(): void;
}

const timeoutMs = 2000;
/** A bus forwards a hundred or so at once for one connection. */
const atOnce = 12;
/** A systemd that does not answer is asked again after a while. */
const restMs = 10_000;

/** One that changes all the time is not pursued. */
const mostRounds = 3;

export function createUnitQuestions(bus: Bus, clock: Clock, units: KnownUnits): UnitQuestions {
  let running: Promise<void> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;

  const open = () => [...units.all()].filter(isOpen);

  const run = async (isOurs: () => boolean) => {
    for (let round = 0; round < mostRounds; round += 1) {
      const next = open().values();
      const worker = async () => {
        for (const { path } of next) {
          // As it is when its turn has come.
          const unit = units.get(path);
          if (!isOurs() || unit === undefined) continue;
          const answers = await answersOf(bus, unit);
          const now = units.get(path);
          if (isOurs() && now !== undefined) units.replace(withAnswers(now, unit, answers));
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
    ask() {
      if (running !== null) return running;
      if (clock.monotonic() - failedAt < restMs || open().length === 0) return null;
      const started = start().finally(() => {
        if (running === started) running = null;
      });
      running = started;
      return started;
    },
    forget() {
      generation += 1;
      failedAt = Number.NEGATIVE_INFINITY;
      running = null;
    },
  };
}

/** Where the answers go. */
export interface KnownUnits {
  all(): Iterable<ListedUnit>;
  get(path: string): ListedUnit | undefined;
  replace(unit: ListedUnit): void;
}

const isOpen = (unit: ListedUnit) => asked.some((field) => unit[field] === undefined);

const asked = ['since', 'mainPid', 'restarts', 'cgroup'] as const;
type Answers = Partial<Pick<ListedUnit, (typeof asked)[number]>>;

async function answersOf(bus: Bus, unit: ListedUnit): Promise<Answers> {
  const ask = async <T>(field: keyof Answers, kind: string, property: string, parse: (value: unknown) => T | null) => {
    if (unit[field] !== undefined) return;
    try {
      answers[field] = parse(await systemdProperty(bus, unit.path, kind, property, timeoutMs)) as never;
    } catch (error) {
      // Gone meanwhile, or of an older systemd. Whoever does not answer at all is not asked for the others either.
      if (!(error instanceof BusError) || error.errorName.startsWith('Client.')) throw error;
      answers[field] = null as never;
    }
  };
  const answers: { -readonly [F in keyof Answers]: Answers[F] } = {};
  await Promise.all([
    ask('since', 'Unit', sinceProperty(unit.active), parseSystemdTime),
    ask('mainPid', 'Service', 'MainPID', parsePid),
    ask('restarts', 'Service', 'NRestarts', parseCount),
    ask('cgroup', 'Service', 'ControlGroup', parseControlGroup),
  ]);
  return answers;
}

/** What was announced while the question was on its way is newer than the answer. */
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
