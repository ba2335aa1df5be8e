import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createThrottle } from '../../lib/throttle.ts';
import type { ModuleDefinition } from '../module.ts';
import type { Reading } from '../reading.ts';
import type { EntityState, ModuleEntities } from '../readings/entities.ts';
import type { Store } from '../store.ts';
import type { TransportParts } from '../transport.ts';
import { type ShownValues, shownValues } from './shown-values.ts';

/** Reads one module for home automation: on its schedule, and at once where it announces changes. */
export interface EntityReader {
  name: string;
  /** Seconds between two polls. */
  everySeconds: number;
  /** Reads the module and passes it on. Never throws. */
  poll(): Promise<void>;
  /** Reads at the next poll, whatever the last one gave. */
  reset(): void;
  stop(): void;
}

export interface EntityReaderParts {
  store: Store;
  host: TransportParts['host'];
  clock: Clock;
  log: Log;
  /** The reader's owner, for the log. */
  owner: string;
  intervalSeconds: number;
  /** Seconds between two readings for other subscribers. */
  moduleSeconds(definition: ModuleDefinition): number;
  /** null: the module has no entities. */
  took(reading: Reading, entities: ReadEntities | null): void;
  absent(): void;
}

export interface ReadEntities {
  of: ModuleEntities<unknown>;
  states: readonly EntityState[];
  shown: ShownValues;
}

/** Pause between two passings of a module that announces its changes. */
const atOncePauseMs = 500;
/** Poll interval of a module without values, such as the battery of a server. */
const emptyPollSeconds = 300;
/** Interval of a module that announces its changes: the upper bound for the delay of a missed announcement. */
const announcedSeconds = 900;
/** The same where its source cannot announce them. */
const unannouncedEveryMs = 60_000;

interface Before extends ReadEntities {
  reading: Reading;
  /** On the monotonic clock. */
  at: number;
}

interface State extends EntityReaderParts {
  name: string;
  everySeconds: number;
  entitiesOf: ModuleEntities<unknown> | null;
  before: Before | null;
  /** Since when the module has no values; null: it has some. */
  emptySince: number | null;
}

export async function createEntityReader(
  definition: ModuleDefinition,
  parts: EntityReaderParts,
): Promise<EntityReader> {
  const { name } = definition;
  const entitiesOf: ModuleEntities<unknown> | null = (await definition.entities?.(parts.host)) ?? null;
  const everySeconds = entitiesOf?.atOnce
    ? Math.max(parts.intervalSeconds, entitiesOf.atMostEvery ?? announcedSeconds)
    : Math.max(parts.intervalSeconds, entitiesOf?.atMostEvery ?? 0, parts.moduleSeconds(definition));
  const state: State = { ...parts, name, everySeconds, entitiesOf, before: null, emptySince: null };
  const stopListening = entitiesOf?.atOnce === true ? listen(state) : () => {};
  return {
    name,
    everySeconds,
    poll: () => poll(state),
    reset() {
      state.emptySince = null;
    },
    stop: stopListening,
  };
}

/** Passes announced changes on, the newest after each pause. */
function listen(state: State): () => void {
  let newest: Reading | null = null;
  const throttle = createThrottle(state.clock, atOncePauseMs, () => {
    const reading = newest;
    newest = null;
    if (reading !== null) guarded(state, () => take(state, reading));
  });
  const changed = (reading: Reading) => {
    newest = reading;
    throttle.ask();
  };
  const stop = state.store.listen(state.name, changed, {
    everyMs: unannouncedEveryMs,
    announcedEveryMs: announcedSeconds * 1000,
    equal: state.entitiesOf?.takesEqual,
  });
  return () => {
    throttle.cancel();
    stop();
  };
}

async function poll(state: State): Promise<void> {
  if (state.emptySince !== null) {
    if (isWithin(state, state.emptySince, emptyPollSeconds)) return;
    state.emptySince = null;
  }
  try {
    const last = reusableReading(state);
    if (last !== null) return guarded(state, () => take(state, last, state.clock.monotonic()));
    const reading = await state.store.get(state.name);
    guarded(state, () => take(state, reading));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') guarded(state, () => takeAbsence(state));
    else state.log.debug(`${state.owner}: ${state.name} could not be read`);
  }
}

function take(state: State, reading: Reading, at = reading.takenAt): void {
  const { entitiesOf } = state;
  if (reading.payload === null) return takeAbsence(state);
  if (entitiesOf === null) return state.took(reading, null);
  const read = entitiesIn(state, entitiesOf, reading, at);
  setEmpty(state, isBare(reading, read.states) && read.shown.controlled.size === 0);
  state.took(reading, read);
}

/** The entities stay; their values become unknown. */
function takeAbsence(state: State): void {
  state.absent();
  state.before = null;
  setEmpty(state, true);
}

function entitiesIn(state: State, of: ModuleEntities<unknown>, reading: Reading, at: number): ReadEntities {
  const { before } = state;
  // The same reading again: a rate needs two different ones.
  if (before !== null && before.at === at) return before;
  const { payload } = reading;
  const earlier = before && { payload: before.reading.payload, seconds: (at - before.at) / 1000 };
  const states = of.read(payload, earlier);
  const next = { reading, at, of, states, shown: shownValues(states, of.controlled?.(payload) ?? {}) };
  state.before = next;
  return next;
}

function setEmpty(state: State, isEmpty: boolean): void {
  state.emptySince = isEmpty ? (state.emptySince ?? state.clock.monotonic()) : null;
}

/** Polls come at multiples of their interval, but not to the millisecond. */
const isWithin = ({ clock, everySeconds }: State, since: number, seconds: number) =>
  clock.monotonic() - since < (seconds - everySeconds / 2) * 1000;

/** The last reading while it is still valid; null: a new one is needed. */
function reusableReading(state: State): Reading | null {
  const { before, entitiesOf } = state;
  const keeps = entitiesOf?.keepsPayload;
  if (keeps === undefined || before === null || !isWithin(state, before.reading.takenAt, keeps.seconds)) return null;
  return keeps.isOutdated() || isStandIn(before.reading) ? null : before.reading;
}

/** The source failed or has not answered yet: the payload is the empty or an earlier one. */
const isStandIn = ({ reasons }: Reading) => reasons.some(({ field }) => field === null);

function guarded({ log, name, owner }: State, work: () => void): void {
  try {
    work();
  } catch (error) {
    log.error(`${owner}: ${name} could not be published`, error);
  }
}

/** All values are unknown, and the user cannot correct the cause. */
const isBare = ({ reasons }: Reading, states: readonly EntityState[]) =>
  states.every(({ value }) => value === null) && !reasons.some(({ mendable }) => mendable);
