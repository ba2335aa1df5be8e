import type { MqttLink } from '@hostler/mqtt/mqtt.ts';
import { readDeviceFacts } from '../../core/entities/device-facts.ts';
import type { ModuleDefinition } from '../../core/module.ts';
import type { DeviceFacts } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type Announced, readAnnounced, writeAnnounced } from './announced.ts';
import { shownBroker } from './broker-address.ts';
import type { BrokerConnection } from './connection.ts';
import { createMqttOutbox, type MqttCounters, type MqttOutbox } from './outbox.ts';
import { type Topics, topicId, topicsOf } from './topics.ts';

/** The state that the parts of this transport share while the settings stay the same. */
export interface MqttSession {
  given: Settings['mqtt'];
  broker: string;
  id: string;
  topics: Topics;
  /** What an earlier run announced. */
  earlier: Announced;
  modules: readonly ModuleDefinition[];
  isPublished(module: string): boolean;
  sleep: ReturnType<typeof createSleepGuard>;
  outbox: MqttOutbox;
  facts: DeviceFacts;
  connection: BrokerConnection | null;
  closed: boolean;
  /** null: not connected now. */
  link(): MqttLink | null;
  complain(sentence: string): void;
  guarded(work: () => Promise<unknown>): Promise<void>;
}

export async function createMqttSession(parts: TransportParts, counters: MqttCounters): Promise<MqttSession> {
  const { service, host, log, settings } = parts;
  const given = settings.current().mqtt;
  const complain = createLogOnce(host.clock, log.warn);
  const facts = await readDeviceFacts(parts);
  const earlier: Announced = readAnnounced(host) ?? { id: '', style: null, root: given.topic, groups: {} };
  const id = topicId(facts.id ?? (earlier.id || crypto.randomUUID()));
  // The generated id of a machine without one is stored.
  if (facts.id === null && earlier.id === '') writeAnnounced(host, { ...earlier, id });
  const isPublished = (name: string) => given.modules.length === 0 || given.modules.includes(name);
  const link = () => session.connection?.link() ?? null;
  const session: MqttSession = {
    given,
    broker: shownBroker(given.url),
    id,
    topics: topicsOf(given.topic, id),
    earlier,
    modules: service.modules.filter(({ name }) => isPublished(name)),
    isPublished,
    sleep: createSleepGuard(host.clock),
    outbox: createMqttOutbox(host.clock, link, complain, counters),
    facts,
    connection: null,
    closed: false,
    link,
    complain,
    async guarded(work) {
      try {
        await work();
      } catch (error) {
        if (!session.closed) log.warn(`mqtt: ${messageOf(error)}`);
      }
    },
  };
  return session;
}

/** Publishers could fill the log: a sentence is logged once in this time, and only so many different ones. */
const forgetAfterMs = 600_000;
const most = 50;

export function createLogOnce(
  clock: Pick<Clock, 'monotonic'>,
  write: (sentence: string) => void,
): (sentence: string) => void {
  let said = new Set<string>();
  let since = clock.monotonic();
  return (sentence) => {
    if (clock.monotonic() - since >= forgetAfterMs) {
      said = new Set();
      since = clock.monotonic();
    }
    if (said.has(sentence) || said.size > most) return;
    said.add(sentence);
    write(said.size > most ? 'mqtt: further messages of this kind are not logged for a while' : sentence);
  };
}

/** The wall clock advanced while the process did not, or it was set. */
const jumpMs = 5000;

/** Whether the machine has slept since the last `begin()`. Messages sent meanwhile arrive after resume. */
export function createSleepGuard({ now, monotonic }: Pick<Clock, 'now' | 'monotonic'>) {
  const leadNow = () => now() - monotonic();
  let lead = leadNow();
  let slept = false;
  return {
    begin() {
      lead = leadNow();
      slept = false;
    },
    hasSlept(): boolean {
      const current = leadNow();
      if (Math.abs(current - lead) >= jumpMs) slept = true;
      // Small corrections of the clock add up over the months.
      lead = current;
      return slept;
    },
  };
}
