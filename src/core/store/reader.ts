import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { entriesJson } from '../json/entries-json.ts';
import type { ModuleDefinition, Source } from '../module.ts';
import { createReading, type Reading } from '../reading.ts';
import { collectReasons, type Reason, type Reasons } from '../reasons.ts';
import type { CpuAccount, CpuCharge } from './cpu-account.ts';
import { createSourceHolder, type SourceHolder } from './source-holder.ts';

export const minimumAgeMs = 250;
export const readWithinMs = 1500;
export const defaultDeadlineMs = 10_000;

/** Reads one module. Concurrent requests share one read, which never throws. A synchronous source gives a synchronous reading. */
export interface Reader extends Pick<SourceHolder, 'load'> {
  /** For a request: a reading not older than `minimumAgeMs`; the last or the empty one if the source is slow. */
  current(): Reading | Promise<Reading>;
  /** For a listener, which has the last reading already: the same, but it waits for a slow source until the deadline. */
  landed(): Reading | Promise<Reading>;
  /** Like `landed`, but the read begins no earlier than now, so that it includes a change that just happened. */
  afresh(): Reading | Promise<Reading>;
  last(): Reading | null;
  cost(): Cost;
  source: SourceHolder['current'];
  close(): void;
}

/** What reading this module has cost. Asynchronous reads share the CPU time that the thread uses while they wait. */
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
  /** Settles when the read settles or reaches its deadline. */
  landed: Promise<Reading>;
  /** The same, but after `readWithinMs` at the latest; null: no request waits for it. */
  answer: Promise<Reading> | null;
}

interface State {
  definition: ModuleDefinition;
  parts: ReaderParts;
  sources: SourceHolder;
  cost: Cost;
  last: Reading | null;
  flight: Flight | null;
  lastComplaint: string | null;
}

export function createReader(definition: ModuleDefinition, parts: ReaderParts): Reader {
  const { clock } = parts;
  const sources = createSourceHolder(definition.name, parts);
  const cost: Cost = { reads: 0, cpuMs: 0, wallMs: 0, totalCpuMs: 0 };
  const state: State = { definition, parts, sources, cost, last: null, flight: null, lastComplaint: null };
  const young = () => {
    const { last } = state;
    return last !== null && clock.monotonic() - last.takenAt < minimumAgeMs ? last : null;
  };
  return {
    current: () => young() ?? answerOf(state, state.flight ?? begin(state)),
    landed: () => young() ?? landingOf(state.flight ?? begin(state)),
    afresh() {
      if (state.flight === null) return landingOf(begin(state));
      // The read in progress may have begun before the change, so another one follows it.
      return state.flight.landed.then(() => landingOf(state.flight ?? begin(state)));
    },
    last: () => state.last,
    cost: () => ({ ...cost }),
    load: sources.load,
    source: sources.current,
    close: sources.abandon,
  };
}

interface Read {
  startedAt: number;
  charge: CpuCharge;
  reasons: Reason[];
  source: Source<unknown> | null | undefined;
}

function begin(state: State): Reading | Flight {
  const { parts, sources } = state;
  const { reasons, collected } = collectReasons();
  const source = sources.current();
  const startedAt = parts.clock.monotonic();
  const read: Read = { startedAt, charge: parts.account.begin(), reasons: collected, source };
  let result: unknown;
  try {
    result =
      source === undefined
        ? sources.load().then((opened) => {
            read.source = opened;
            return readFrom(opened, reasons);
          })
        : readFrom(source, reasons);
  } catch (error) {
    return fail(state, read, error);
  }
  if (!(result instanceof Promise)) return succeed(state, read, result);
  read.charge.wait();
  return depart(state, read, result);
}

/** Waits for a read, at most until its deadline. */
function depart(state: State, read: Read, result: Promise<unknown>): Flight {
  const { definition, sources } = state;
  const { deadlineMs = defaultDeadlineMs } = definition;
  const landing = Promise.withResolvers<Reading>();
  const flight: Flight = { landed: landing.promise, answer: null };
  const land = (reading: Reading) => {
    if (state.flight === flight) state.flight = null;
    cancelDeadline();
    landing.resolve(reading);
  };
  const cancelDeadline = state.parts.clock.after(deadlineMs, () => {
    read.charge.end();
    sources.abandon();
    land(keepFailure(state, `its source did not answer within ${deadlineMs / 1000} s`));
  });
  const finish = (conclude: () => Reading) => {
    // After the deadline the result is dropped: it may be older than the current reading.
    if (state.flight === flight) land(conclude());
    // The source was closed during this read, which may have opened something since.
    if (read.source !== sources.current()) sources.close(read.source);
  };
  state.flight = flight;
  void result.then(
    (payload) => finish(() => succeed(state, read, payload)),
    (error) => finish(() => fail(state, read, error)),
  );
  return flight;
}

function succeed(state: State, read: Read, payload: unknown): Reading {
  settle(state, read);
  state.lastComplaint = null;
  return keep(state, payload, read.reasons);
}

function fail(state: State, read: Read, error: unknown): Reading {
  settle(state, read);
  return keepFailure(state, `reading failed: ${messageOf(error)}`);
}

function settle({ cost, parts, sources }: State, { startedAt, charge }: Read): void {
  cost.reads += 1;
  cost.wallMs = parts.clock.monotonic() - startedAt;
  cost.cpuMs = charge.end() + (sources.current()?.cpuElsewhereMs?.() ?? 0);
  cost.totalCpuMs += cost.cpuMs;
  parts.wasRead?.();
}

function keep(state: State, payload: unknown, reasons: Reason[]): Reading {
  const write = state.definition.keepsEntries === true ? entriesJson : undefined;
  state.last = createReading(payload, reasons, state.parts.clock, write);
  return state.last;
}

/** Keeps the last payload and logs each problem once. */
function keepFailure(state: State, problem: string): Reading {
  const { definition, last } = state;
  if (problem !== state.lastComplaint) state.parts.log.warn(`${definition.name}: ${problem}`);
  state.lastComplaint = problem;
  const payload = last === null || last.payload === null ? definition.empty : last.payload;
  return keep(state, payload, [{ field: null, reason: problem, mendable: true }]);
}

function answerOf(state: State, reading: Reading | Flight): Reading | Promise<Reading> {
  if (!isFlight(reading)) return reading;
  reading.answer ??= answerInTime(state, reading.landed);
  return reading.answer;
}

function answerInTime(state: State, landed: Promise<Reading>): Promise<Reading> {
  const { clock } = state.parts;
  const answer = Promise.withResolvers<Reading>();
  const cancel = clock.after(readWithinMs, () => answer.resolve(state.last ?? notYet(state.definition, clock)));
  void landed.then((reading) => {
    cancel();
    answer.resolve(reading);
  });
  return answer.promise;
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
