import type { MqttLink } from '@hostler/mqtt/mqtt.ts';
import { readDeviceFacts } from '../../core/entities/device-facts.ts';
import type { ModuleDefinition } from '../../core/module.ts';
import type { DeviceFacts } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type Announced, readAnnounced, writeAnnounced } from './announced.ts';
import { shownBroker } from './broker-address.ts';
import type { BrokerConnection } from './connection.ts';
import { createLogOnce } from './log-once.ts';
import { createMqttOutbox, type MqttCounters, type MqttOutbox } from './outbox.ts';
import { createSleepGuard } from './sleep-guard.ts';
import { type Topics, topicId, topicsOf } from './topics.ts';

/** The state that the parts of this transport share while the settings stay the same. */
export interface MqttSession {
  given: Settings['mqtt'];
  /** The address without secrets. */
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
  /** Runs this and logs its error. */
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
