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

/** One module, from its readings to its topics. */
export interface ModulePublisher {
  name: string;
  /** Seconds between two looks. */
  everySeconds: number;
  /** Reads, and publishes what has changed. Never throws. */
  look(): Promise<void>;
  /** The broker may have lost everything: what is known is said again. */
  again(): void;
  stop(): void;
}

export interface PublisherParts {
  store: Store;
  host: TransportParts['host'];
  clock: Clock;
  log: Log;
  topics: Topics;
  intervalSeconds: number;
  /** How often the module is read for other listeners. */
  moduleSeconds(definition: ModuleDefinition): number;
  /** False: it could not be sent now, and is to be tried again. */
  publish(message: MqttMessage): boolean;
  entities(module: string, shown: ShownValues, states: readonly EntityState[]): void;
  device(facts: DeviceFacts): void;
}

/** What changes many times a second is told this often. */
const atOncePauseMs = 500;
/** Whether something that announces its changes is still there. */
const atOnceLookSeconds = 60;
/** What has nothing to show and never will, such as the battery of a server, is looked at this often all the same. */
const emptyLookSeconds = 300;
/** Where changes are announced, one that was missed shows after this. */
const announcedEveryMs = 300_000;

/** What was shown at the last look. */
interface Shown {
  reading: Reading;
  /** On the monotonic clock. */
  at: number;
  states: EntityState[];
  shown: ShownValues;
}

export async function createModulePublisher(
  definition: ModuleDefinition,
  parts: PublisherParts,
): Promise<ModulePublisher> {
  const { store, host, clock, log, topics, publish } = parts;
  const { name } = definition;
  const seen: ModuleEntities<unknown> | null = (await definition.entities?.(host)) ?? null;
  const everySeconds = seen?.atOnce
    ? Math.max(parts.intervalSeconds, seen.atMostEvery ?? atOnceLookSeconds)
    : Math.max(parts.intervalSeconds, seen?.atMostEvery ?? 0, parts.moduleSeconds(definition));
  const sent = new Map<string, string>();
  let before: Shown | null = null;
  let newest: Reading | null = null;
  /** Since when it shows nothing; null: it does. */
  let emptySince: number | null = null;
  let stopListening = () => {};

  const send = (topic: string, text: string, payload: MqttMessage['payload'] = text) => {
    if (sent.get(topic) === text) return;
    if (publish({ topic, payload, qos: 0, retain: true })) sent.set(topic, text);
  };

  const tell = (reading: Reading, at = reading.takenAt) => {
    if (reading.payload === null) return gone();
    send(topics.state(name), reading.text);
    if (seen === null) return;
    const { states, shown } = seenAs(seen, reading, at);
    note(isBare(reading, states) && shown.controlled.size === 0);
    if (seen.device !== undefined) parts.device(seen.device(reading.payload));
    parts.entities(name, shown, states);
    send(topics.values(name), JSON.stringify(shown.values));
    for (const { key, component, value } of states) {
      if (component !== 'image') continue;
      const picture = pictureIn(value);
      send(topics.image(key), typeof value === 'string' ? value : '', picture);
    }
  };

  const seenAs = (seenBy: ModuleEntities<unknown>, reading: Reading, at: number): Shown => {
    // The same reading, once more: a speed needs two.
    if (before !== null && before.at === at) return before;
    const { payload } = reading;
    const earlier = before && { payload: before.reading.payload, seconds: (at - before.at) / 1000 };
    const states = seenBy.read(payload, earlier);
    before = { reading, at, states, shown: shownValues(states, seenBy.controlled?.(payload) ?? {}) };
    return before;
  };

  const note = (isEmpty: boolean) => {
    emptySince = isEmpty ? (emptySince ?? clock.monotonic()) : null;
  };

  /** Looks come at multiples of their interval, but not to the millisecond. */
  const isWithin = (since: number, seconds: number) => clock.monotonic() - since < (seconds - everySeconds / 2) * 1000;

  /** The last reading where that serves; null: another one is needed. */
  const kept = (): Reading | null => {
    const keeps = seen?.keepsPayload;
    if (keeps === undefined || before === null || !isWithin(before.reading.takenAt, keeps.seconds)) return null;
    return keeps.isOutdated() ? null : before.reading;
  };

  /** Its entities are unknown, and are still there. */
  const gone = () => {
    if (sent.has(topics.state(name))) send(topics.state(name), '');
    if (sent.has(topics.values(name))) send(topics.values(name), '{}');
    before = null;
    note(true);
  };

  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error(`mqtt: ${name} could not be published`, error);
    }
  };

  const throttle = createThrottle(clock, atOncePauseMs, () => {
    const reading = newest;
    newest = null;
    if (reading !== null) guarded(() => tell(reading));
  });

  if (seen?.atOnce === true) {
    const hear = (reading: Reading) => {
      newest = reading;
      throttle.ask();
    };
    stopListening = store.listen(name, hear, undefined, announcedEveryMs);
  }

  return {
    name,
    everySeconds,
    async look() {
      if (emptySince !== null) {
        if (isWithin(emptySince, emptyLookSeconds)) return;
        emptySince = null;
      }
      try {
        const last = kept();
        if (last !== null) return guarded(() => tell(last, clock.monotonic()));
        const reading = await store.get(name);
        guarded(() => tell(reading));
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not_found') guarded(gone);
        else log.debug(`mqtt: ${name} could not be read`);
      }
    },
    again() {
      sent.clear();
      emptySince = null;
    },
    stop() {
      throttle.cancel();
      stopListening();
    },
  };
}

/** Nothing is known of it, and nothing that could be mended is the reason. */
const isBare = ({ reasons }: Reading, states: readonly EntityState[]) =>
  states.every(({ value }) => value === null) && !reasons.some(({ mendable }) => mendable);
