import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { CpuAccount } from './cpu-account.ts';
import { entriesJson } from './json/entries-json.ts';
import type { ModuleDefinition, Source } from './module.ts';
import { createReading, type Reading } from './reading.ts';
import type { Reason, Reasons } from './reasons.ts';
import { collectReasons } from './reasons.ts';

export const minimumAgeMs = 250;
export const readWithinMs = 1500;
export const defaultDeadlineMs = 10_000;

/** Reads one module: once for all who ask at the same time, never throwing. What is read at once is answered at once. */
export interface Reader {
  /** For an answer: a reading not older than the minimum age; the last or the empty one if the source is slow. */
  current(): Reading | Promise<Reading>;
  /** For who listens, and has the last one already: the same, but a slow source is waited for until it is given up. */
  landed(): Reading | Promise<Reading>;
  /** Like `landed`, but begun no earlier than now: what was known before a change does not count. */
  afresh(): Reading | Promise<Reading>;
  last(): Reading | null;
  cost(): Cost;
  /** Loads the source; null: this platform has none. */
  load(): Promise<Source<unknown> | null>;
  /** The source that is read now: another one after it was given up. undefined: it is not loaded. */
  source(): Source<unknown> | null | undefined;
  close(): void;
}

/** What reading this module has cost. Reads that wait share the thread's CPU time with those that wait beside them. */
export interface Cost {
  reads: number;
  cpuMs: number;
  wallMs: number;
  totalCpuMs: number;
}

export interface ReaderParts {
  clock: Clock;
  log: Log;
  /** One for all modules read in this thread. */
  account: CpuAccount;
  /** Loads and creates the source; null: none for this platform. */
  open(): Promise<Source<unknown> | null>;
  /** Called after every reading. */
  wasRead?: (() => void) | undefined;
}

interface Flight {
  /** Settles when the read does, or is given up. */
  landed: Promise<Reading>;
  /** The same, but after the patience of one answer at the latest; null: nobody has asked for one. */
  answer: Promise<Reading> | null;
}

export function createReader(
  definition: ModuleDefinition,
  { clock, log, account, open, wasRead }: ReaderParts,
): Reader {
  const deadlineMs = definition.deadlineMs ?? defaultDeadlineMs;
  const cost: Cost = { reads: 0, cpuMs: 0, wallMs: 0, totalCpuMs: 0 };
  const write = definition.keepsEntries === true ? entriesJson : undefined;
  let opening: Promise<Source<unknown> | null> | null = null;
  let source: Source<unknown> | null | undefined;
  let last: Reading | null = null;
  let flight: Flight | null = null;
  let lastComplaint: string | null = null;

  const load = () => {
    opening ??= openNow();
    return opening;
  };

  const openNow = (): Promise<Source<unknown> | null> => {
    const mine = open().then(
      (opened) => {
        // Given up while it was loading: nobody will ever ask it.
        if (opening === mine) source = opened;
        else closeQuietly(opened);
        return opened;
      },
      (error) => {
        if (opening === mine) opening = null;
        throw error;
      },
    );
    return mine;
  };

  const closeQuietly = (given: Source<unknown> | null | undefined) => {
    try {
      given?.close?.();
    } catch (error) {
      log.warn(`${definition.name}: could not close its source: ${messageOf(error)}`);
    }
  };

  /** After a deadline the source may be stuck for good: the next read begins with a new one. */
  const abandonSource = () => {
    closeQuietly(source);
    source = undefined;
    opening = null;
  };

  const keep = (payload: unknown, reasons: Reason[]): Reading => {
    last = createReading(payload, reasons, clock, write);
    return last;
  };

  const failed = (problem: string): Reading => {
    if (problem !== lastComplaint) log.warn(`${definition.name}: ${problem}`);
    lastComplaint = problem;
    const payload = last === null || last.payload === null ? definition.empty : last.payload;
    return keep(payload, [{ field: null, reason: problem, mendable: true }]);
  };

  const begin = (): Reading | Flight => {
    const { reasons, collected } = collectReasons();
    const startedAt = clock.monotonic();
    const charge = account.begin();
    const settle = (finish: () => Reading): Reading => {
      cost.reads += 1;
      cost.wallMs = clock.monotonic() - startedAt;
      cost.cpuMs = charge.end() + (source?.cpuElsewhereMs?.() ?? 0);
      cost.totalCpuMs += cost.cpuMs;
      wasRead?.();
      return finish();
    };
    const succeed = (payload: unknown) =>
      settle(() => {
        lastComplaint = null;
        return keep(payload, collected);
      });
    const fail = (error: unknown) => settle(() => failed(`reading failed: ${messageOf(error)}`));

    let from = source;
    const readOpened = (opened: Source<unknown> | null) => {
      from = opened;
      return readFrom(opened, reasons);
    };
    let result: unknown;
    try {
      result = source === undefined ? load().then(readOpened) : readFrom(source, reasons);
    } catch (error) {
      return fail(error);
    }
    if (!(result instanceof Promise)) return succeed(result);
    charge.wait();
    return depart(
      result.then(
        (payload) => () => succeed(payload),
        (error) => () => fail(error),
      ),
      charge.end,
      // It was closed in the middle of this read, which may have opened something since.
      () => from !== source && closeQuietly(from),
    );
  };

  const depart = (finished: Promise<() => Reading>, giveUp: () => void, closeLate: () => void): Flight => {
    const landing = Promise.withResolvers<Reading>();
    const mine: Flight = { landed: landing.promise, answer: null };
    const land = (reading: Reading) => {
      if (flight === mine) flight = null;
      cancelDeadline();
      landing.resolve(reading);
    };
    const cancelDeadline = clock.after(deadlineMs, () => {
      giveUp();
      abandonSource();
      land(failed(`its source did not answer within ${deadlineMs / 1000} s`));
    });
    flight = mine;
    finished.then((conclude) => {
      // Given up already: what comes late may be older than what is known.
      if (flight === mine) land(conclude());
      closeLate();
    });
    return mine;
  };

  const answerOf = (reading: Reading | Flight): Reading | Promise<Reading> => {
    if (!isFlight(reading)) return reading;
    reading.answer ??= patiently(reading.landed);
    return reading.answer;
  };

  const patiently = (landed: Promise<Reading>): Promise<Reading> => {
    const answer = Promise.withResolvers<Reading>();
    const cancel = clock.after(readWithinMs, () => answer.resolve(last ?? notYet(definition, clock)));
    void landed.then((reading) => {
      cancel();
      answer.resolve(reading);
    });
    return answer.promise;
  };

  const young = () => (last !== null && clock.monotonic() - last.takenAt < minimumAgeMs ? last : null);

  return {
    current: () => young() ?? answerOf(flight ?? begin()),
    landed: () => young() ?? landingOf(flight ?? begin()),
    afresh() {
      if (flight === null) return landingOf(begin());
      // The read under way may have begun before the change that is asked for: one more follows it.
      return flight.landed.then(() => landingOf(flight ?? begin()));
    },
    last: () => last,
    cost: () => ({ ...cost }),
    load,
    source: () => source,
    close: abandonSource,
  };
}

const isFlight = (reading: Reading | Flight): reading is Flight => 'landed' in reading;

const landingOf = (reading: Reading | Flight): Reading | Promise<Reading> =>
  isFlight(reading) ? reading.landed : reading;

function readFrom(source: Source<unknown> | null, reasons: Reasons): unknown {
  return source === null ? null : source.read(reasons);
}

function notYet(definition: ModuleDefinition, clock: Clock): Reading {
  const reason = `its source has not answered yet (waited ${readWithinMs / 1000} s)`;
  return createReading(definition.empty, [{ field: null, reason, mendable: true }], clock);
}
