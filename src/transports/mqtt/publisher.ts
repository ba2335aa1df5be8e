import type { MqttMessage } from '@hostler/mqtt/mqtt.ts';
import type { ModuleDefinition } from '../../core/module.ts';
import type { Reading } from '../../core/reading.ts';
import type { DeviceFacts, EntityState, ModuleEntities } from '../../core/readings/entities.ts';
import type { Store } from '../../core/store.ts';
import type { TransportParts } from '../../core/transport.ts';
import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createThrottle } from '../../lib/throttle.ts';
import type { Topics } from './topics.ts';
import { pictureIn, type ShownValues, shownValues } from './values.ts';

/** Publishes the readings of one module to its topics. */
export interface ModulePublisher {
  name: string;
  /** Seconds between two polls. */
  everySeconds: number;
  /** Reads the module and publishes what has changed. Never throws. */
  poll(): Promise<void>;
  /** Publishes everything again at the next poll: the broker may have lost it. */
  reset(): void;
  stop(): void;
}

export interface PublisherParts {
  store: Store;
  host: TransportParts['host'];
  clock: Clock;
  log: Log;
  topics: Topics;
  intervalSeconds: number;
  /** Seconds between two readings for other subscribers. */
  moduleSeconds(definition: ModuleDefinition): number;
  /** False: not sent; the caller tries again later. */
  publish(message: MqttMessage): boolean;
  entities(module: string, shown: ShownValues, states: readonly EntityState[], mayReturn: boolean): void;
  device(facts: DeviceFacts): void;
}

/** Pause between two publications of a module that announces its changes. */
const atOncePauseMs = 500;
/** Poll interval of a module that announces its changes. */
const atOncePollSeconds = 60;
/** Poll interval of a module without values, such as the battery of a server. */
const emptyPollSeconds = 300;
/** Upper bound for the delay of a missed announcement. */
const announcedEveryMs = 300_000;

/** What the last reading showed. */
interface Shown {
  reading: Reading;
  /** On the monotonic clock. */
  at: number;
  states: EntityState[];
  shown: ShownValues;
}

interface State extends PublisherParts {
  name: string;
  everySeconds: number;
  entitiesOf: ModuleEntities<unknown> | null;
  /** The last text by topic. */
  sent: Map<string, string>;
  before: Shown | null;
  /** Since when the module has no values; null: it has some. */
  emptySince: number | null;
}

export async function createModulePublisher(
  definition: ModuleDefinition,
  parts: PublisherParts,
): Promise<ModulePublisher> {
  const { name } = definition;
  const entitiesOf: ModuleEntities<unknown> | null = (await definition.entities?.(parts.host)) ?? null;
  const everySeconds = entitiesOf?.atOnce
    ? Math.max(parts.intervalSeconds, entitiesOf.atMostEvery ?? atOncePollSeconds)
    : Math.max(parts.intervalSeconds, entitiesOf?.atMostEvery ?? 0, parts.moduleSeconds(definition));
  const state: State = { ...parts, name, everySeconds, entitiesOf, sent: new Map(), before: null, emptySince: null };
  const stopListening = entitiesOf?.atOnce === true ? listen(state) : () => {};
  return {
    name,
    everySeconds,
    poll: () => poll(state),
    reset() {
      state.sent.clear();
      state.emptySince = null;
    },
    stop: stopListening,
  };
}

/** Publishes announced changes, the newest after each pause. */
function listen(state: State): () => void {
  let newest: Reading | null = null;
  const throttle = createThrottle(state.clock, atOncePauseMs, () => {
    const reading = newest;
    newest = null;
    if (reading !== null) guarded(state, () => publishReading(state, reading));
  });
  const changed = (reading: Reading) => {
    newest = reading;
    throttle.ask();
  };
  const stop = state.store.listen(state.name, changed, { announcedEveryMs });
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
    if (last !== null) return guarded(state, () => publishReading(state, last, state.clock.monotonic()));
    const reading = await state.store.get(state.name);
    guarded(state, () => publishReading(state, reading));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') guarded(state, () => publishUnknown(state));
    else state.log.debug(`mqtt: ${state.name} could not be read`);
  }
}

function publishReading(state: State, reading: Reading, at = reading.takenAt): void {
  const { name, topics, entitiesOf } = state;
  if (reading.payload === null) return publishUnknown(state);
  send(state, topics.state(name), reading.text);
  if (entitiesOf === null) return;
  const { states, shown } = shownOf(state, entitiesOf, reading, at);
  setEmpty(state, isBare(reading, states) && shown.controlled.size === 0);
  if (entitiesOf.device !== undefined) state.device(entitiesOf.device(reading.payload));
  state.entities(name, shown, states, entitiesOf.isWhole !== true);
  send(state, topics.values(name), JSON.stringify(shown.values));
  for (const { key, component, value } of states) {
    if (component !== 'image') continue;
    const picture = pictureIn(value);
    send(state, topics.image(key), typeof value === 'string' ? value : '', picture);
  }
}

/** The entities stay announced; their values become unknown. */
function publishUnknown(state: State): void {
  const { name, topics, sent } = state;
  if (sent.has(topics.state(name))) send(state, topics.state(name), '');
  if (sent.has(topics.values(name))) send(state, topics.values(name), '{}');
  state.before = null;
  setEmpty(state, true);
}

function send({ sent, publish }: State, topic: string, text: string, payload: MqttMessage['payload'] = text): void {
  if (sent.get(topic) === text) return;
  if (publish({ topic, payload, qos: 0, retain: true })) sent.set(topic, text);
}

function shownOf(state: State, entitiesOf: ModuleEntities<unknown>, reading: Reading, at: number): Shown {
  const { before } = state;
  // The same reading again: a rate needs two different ones.
  if (before !== null && before.at === at) return before;
  const { payload } = reading;
  const earlier = before && { payload: before.reading.payload, seconds: (at - before.at) / 1000 };
  const states = entitiesOf.read(payload, earlier);
  const next = { reading, at, states, shown: shownValues(states, entitiesOf.controlled?.(payload) ?? {}) };
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

function guarded({ log, name }: State, work: () => void): void {
  try {
    work();
  } catch (error) {
    log.error(`mqtt: ${name} could not be published`, error);
  }
}

/** All values are unknown, and the user cannot correct the cause. */
const isBare = ({ reasons }: Reading, states: readonly EntityState[]) =>
  states.every(({ value }) => value === null) && !reasons.some(({ mendable }) => mendable);
