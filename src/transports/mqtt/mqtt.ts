import type { MqttLink, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { startPolling } from '../../core/entities/poll-schedule.ts';
import { followPowerState } from '../../core/entities/power-state.ts';
import type { EntityValue } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { sleep as after } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { jsonText } from '../../lib/json-text.ts';
import { announcedFile, passwordFile } from './announced.ts';
import { createEntityAnnouncements, type EntityAnnouncements } from './announcements.ts';
import { isExposed } from './broker-address.ts';
import { type BrokerConnection, connectToBroker } from './connection.ts';
import { createControls } from './controls.ts';
import { createIncoming } from './incoming.ts';
import type { MqttStatus } from './mqtt.schema.ts';
import type { MqttCounters } from './outbox.ts';
import { createModulePublisher, type ModulePublisher } from './publisher.ts';
import { leftoverTopics, retainedTopics } from './retained-topics.ts';
import { createMqttSession, type MqttSession } from './session.ts';
import { birthTopic } from './topics.ts';

const firstPollMs = 5000;

export type RunningMqtt = Awaited<ReturnType<typeof startMqtt>>;

/** The transport with one broker, until the settings change. */
export async function startMqtt(parts: TransportParts, counters: MqttCounters) {
  const session = await createMqttSession(parts, counters);
  const running = await createRunning(parts, session);
  const { announcements, publishers } = running;
  const connection = connect(running);
  session.connection = connection;
  const cancelPolling = startPolling(parts.host.clock, publishers, () => {
    if (session.link() === null) return false;
    if (!session.sleep.hasSlept()) return true;
    connection.restart();
    return false;
  });
  const following = followActions(running);
  const stopPolling = () => {
    cancelPolling();
    for (const publisher of publishers) publisher.stop();
  };
  const end = async () => {
    session.closed = true;
    stopPolling();
    announcements.stop();
    running.incoming.stop();
    running.unsubscribe();
    await running.power.stop();
    await following.then((stop) => stop()).catch(() => {});
    connection.close();
  };
  return {
    status: (): MqttStatus => ({ ...statusOf(running, connection), ...counters }),
    reconnect: connection.restart,
    /** Settings outside mqtt.* that change the offered controls have changed. */
    settingsChanged: () => announcements.announceSoon(),
    /** Removes everything it ever published, and the password. Rejects when the broker is not connected. */
    async forget() {
      const link = requireLink(session, connection);
      const messages = removalOf(running);
      stopPolling();
      await Promise.all(messages.map((message) => link.publish(message)));
      await end();
      const { host } = parts;
      host.storage.remove(announcedFile(host));
      host.storage.remove(passwordFile(host));
      return messages.length;
    },
    async stop() {
      session.outbox.publishRetained(session.topics.availability, 'offline');
      await session.outbox.delivered();
      await end();
    },
  };
}

function connect(running: Running): BrokerConnection {
  const { parts, session, incoming } = running;
  return connectToBroker(parts, session, {
    connected(link) {
      session.sleep.begin();
      running.unsubscribe = parts.service.subscribers.join({
        delivered: session.outbox.delivered,
        noticesWaking: true,
      });
      void session.guarded(() =>
        publishAll(running, link).catch((error: unknown) => {
          // The end of the connection is logged once, by the connection.
          if (session.link() === link) throw error;
        }),
      );
    },
    accepts: incoming.accepts,
    message: incoming.take,
    lost() {
      running.unsubscribe();
      running.unsubscribe = () => {};
    },
  });
}

async function publishAll(running: Running, link: MqttLink): Promise<void> {
  const { parts, session, announcements, publishers, power, actionValues } = running;
  const { topics, given, earlier, isPublished } = session;
  const { publishRetained } = session.outbox;
  announcements.begin();
  for (const publisher of publishers) publisher.reset();
  publishRetained(topics.availability, 'online');
  publishRetained(topics.powerState, power.current());
  await link.subscribe(given.discovery === 'off' ? [topics.request] : [topics.request, birthTopic]);
  for (const topic of leftoverTopics(parts.service, topics, earlier, isPublished)) publishRetained(topic, '');
  for (const [name, values] of actionValues) publishRetained(topics.values(name), jsonText(values));
  const polled = Promise.all(publishers.map((publisher) => publisher.poll()));
  await Promise.race([polled, after(parts.host.clock, firstPollMs)]);
  // A newer connection runs this itself.
  if (session.link() === link) await announcements.settle();
}

/** Publishes the values of actions. Resolves to the function that stops it. */
function followActions({ parts, session, controls, actionValues }: Running): Promise<() => void> {
  const following = controls.follow((action, states) => {
    const values = { ...actionValues.get(action), ...states };
    actionValues.set(action, values);
    session.outbox.publishRetained(session.topics.values(action), JSON.stringify(values));
  });
  following.catch((error) => parts.log.warn(`mqtt: ${messageOf(error)}`));
  return following;
}

function statusOf(
  { session, announcements, controls }: Running,
  connection: BrokerConnection,
): Omit<MqttStatus, keyof MqttCounters> {
  const { given, modules } = session;
  return {
    enabled: true,
    broker: session.broker,
    encrypted: /^(?:mqtts|wss):/.test(given.url),
    ...connection.state(),
    id: session.id,
    topic: session.topics.base,
    modules: modules.map(({ name }) => name),
    entities: given.discovery === 'off' ? 0 : announcements.count(),
    discovery: given.discovery,
    scopes: given.scopes,
    controls: controls.keys(),
  };
}

function requireLink({ link, broker }: MqttSession, connection: BrokerConnection): MqttLink {
  const current = link();
  if (current !== null) return current;
  const { problem } = connection.state();
  throw new Error(`${broker} is not connected: ${problem ?? 'the connection is being made'}`);
}

function removalOf({ parts, session, announcements }: Running): MqttMessage[] {
  const retained = retainedTopics(parts.service, session.topics, announcements.images()).map(
    (topic): MqttMessage => ({ topic, payload: '', qos: 1, retain: true }),
  );
  return [...announcements.withdrawal(), ...retained];
}

type Running = Awaited<ReturnType<typeof createRunning>>;

/** The parts of the transport that one session connects. */
async function createRunning(parts: TransportParts, session: MqttSession) {
  const { given, topics, id, outbox } = session;
  const controls = createControls(parts, topics, id);
  const announcements = createEntityAnnouncements(parts, session, controls);
  const incoming = createIncoming(parts, session, controls, announcements);
  if (isExposed(given.url) && given.username !== '')
    parts.log.warn(`mqtt: the password for ${session.broker} travels unencrypted; use mqtts:// or wss://`);
  const publishers = await createPublishers(parts, session, announcements);
  const power = followPowerState(parts, {
    changed: (state) => void outbox.publishRetained(topics.powerState, state),
    // Messages sent while the machine slept are dropped with the old connection.
    resumed: () => session.connection?.restart(),
  });
  /** Values that actions show, by action. */
  const actionValues = new Map<string, Record<string, EntityValue>>();
  return {
    parts,
    session,
    controls,
    announcements,
    incoming,
    publishers,
    power,
    actionValues,
    unsubscribe: () => {},
  };
}

async function createPublishers(
  { service, host, log, settings }: TransportParts,
  session: MqttSession,
  announcements: EntityAnnouncements,
): Promise<ModulePublisher[]> {
  const publishers: ModulePublisher[] = [];
  for (const definition of session.modules) {
    publishers.push(
      await createModulePublisher(definition, {
        store: service.store,
        host,
        clock: host.clock,
        log,
        topics: session.topics,
        intervalSeconds: session.given.interval,
        moduleSeconds: ({ name, everyMs }) => (settings.current().modules[name]?.interval ?? everyMs) / 1000,
        publish: session.outbox.publish,
        entities: announcements.take,
        device(next) {
          session.facts = next;
        },
      }),
    );
  }
  return publishers;
}
