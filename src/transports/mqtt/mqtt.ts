import type { MqttLink, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import type { EntityValue } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { sleep as after } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type Announced, announcedFile, passwordFile, readAnnounced, writeAnnounced } from './announced.ts';
import { createEntityAnnouncements } from './announcements.ts';
import { isExposed, shownBroker } from './broker-address.ts';
import { type BrokerConnection, connectToBroker } from './connection.ts';
import { createControls } from './controls.ts';
import { readDeviceFacts } from './device-facts.ts';
import { createIncoming } from './incoming.ts';
import { createLogOnce } from './log-once.ts';
import type { MqttStatus } from './mqtt.schema.ts';
import { createMqttOutbox } from './outbox.ts';
import { startRounds } from './poll-schedule.ts';
import { followPowerState } from './power-state.ts';
import { createModulePublisher, type ModulePublisher } from './publisher.ts';
import { leftoverTopics, retainedTopics } from './retained-topics.ts';
import { createSleepGuard } from './sleep-guard.ts';
import { birthTopic, topicId, topicsOf } from './topics.ts';

/** One broker, for as long as the settings are these. */
export interface RunningMqtt {
  status(): MqttStatus;
  /** Tries at once. */
  reconnect(): void;
  /** The settings of something else that is offered here have changed. */
  settingsChanged(): void;
  /** Takes everything back that was ever published, and the password. Rejects when the broker is not there. */
  forget(): Promise<number>;
  stop(): Promise<void>;
}

const firstLookMs = 5000;

export async function startMqtt(parts: TransportParts): Promise<RunningMqtt> {
  const { service, host, log, settings } = parts;
  const { clock, storage } = host;
  const given: Settings['mqtt'] = settings.current().mqtt;
  const broker = shownBroker(given.url);
  const complain = createLogOnce(clock, log.warn);
  let facts = await readDeviceFacts(parts);
  const earlier: Announced = readAnnounced(host) ?? { id: '', style: null, root: given.topic, groups: {} };
  const id = topicId(facts.id ?? (earlier.id || crypto.randomUUID()));
  const topics = topicsOf(given.topic, id);
  // A machine without an id of its own keeps the one it was given.
  if (facts.id === null && earlier.id === '') writeAnnounced(host, { ...earlier, id });
  const sleep = createSleepGuard(clock);
  const isPublished = (name: string) => given.modules.length === 0 || given.modules.includes(name);
  const modules = service.modules.filter(({ name }) => isPublished(name));
  let connection: BrokerConnection | null = null;
  const link = () => connection?.link() ?? null;
  let closed = false;
  let leaveAudience = () => {};
  const { publish, publishRetained, delivered, count } = createMqttOutbox(clock, link, complain);

  const guarded = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      if (!closed) log.warn(`mqtt: ${messageOf(error)}`);
    }
  };

  const controls = createControls(parts, topics, id);
  const announcements = createEntityAnnouncements(parts, {
    topics,
    id,
    style: given.discovery,
    earlier,
    modules,
    controls,
    facts: () => facts,
    link,
    publish,
    complain,
    guarded,
  });
  const incoming = createIncoming(parts, {
    topics,
    broker: new URL(given.url).hostname,
    controls,
    shown: announcements.shown,
    isFresh: () => !sleep.hasSlept(),
    publish,
    announceSoon: announcements.announceSoon,
    complain,
    guarded,
  });

  if (isExposed(given.url) && given.username !== '')
    log.warn(`mqtt: the password for ${broker} travels unencrypted; use mqtts:// or wss://`);

  const publishers: ModulePublisher[] = [];
  for (const definition of modules) {
    publishers.push(
      await createModulePublisher(definition, {
        store: service.store,
        host,
        clock,
        log,
        topics,
        intervalSeconds: given.interval,
        moduleSeconds: ({ name, everyMs }) => (settings.current().modules[name]?.interval ?? everyMs) / 1000,
        publish,
        entities: announcements.take,
        device(next) {
          facts = next;
        },
      }),
    );
  }

  const actionValues = new Map<string, Record<string, EntityValue>>();
  const greet = async (current: MqttLink) => {
    announcements.begin();
    for (const publisher of publishers) publisher.again();
    publishRetained(topics.availability, 'online');
    publishRetained(topics.powerState, power.current());
    await current.subscribe(given.discovery === 'off' ? [topics.request] : [topics.request, birthTopic]);
    for (const topic of leftoverTopics(service, topics, earlier, isPublished)) publishRetained(topic, '');
    for (const [name, values] of actionValues) publishRetained(topics.values(name), JSON.stringify(values));
    const looked = Promise.all(publishers.map((publisher) => publisher.look()));
    await Promise.race([looked, after(clock, firstLookMs)]);
    // Another connection looks at everything itself.
    if (link() === current) await announcements.settle();
  };

  connection = connectToBroker(
    parts,
    { given, topics, id },
    {
      connected(current) {
        sleep.begin();
        leaveAudience = service.audience.join({ delivered, noticesWaking: true });
        void guarded(() => greet(current));
      },
      message: incoming.take,
      lost() {
        leaveAudience();
        leaveAudience = () => {};
      },
    },
  );
  const endRounds = startRounds(clock, publishers, () => {
    if (link() === null) return false;
    if (!sleep.hasSlept()) return true;
    connection?.restart();
    return false;
  });
  const power = followPowerState(parts, {
    changed: (state) => void publishRetained(topics.powerState, state),
    // Nothing that was on its way while the machine slept is listened to.
    resumed: () => connection?.restart(),
  });
  const following = controls.follow((action, states) => {
    actionValues.set(action, { ...actionValues.get(action), ...states });
    publishRetained(topics.values(action), JSON.stringify(actionValues.get(action)));
  });
  following.catch((error) => log.warn(`mqtt: ${messageOf(error)}`));

  const endLooking = () => {
    endRounds();
    for (const publisher of publishers) publisher.stop();
  };

  const end = async () => {
    closed = true;
    endLooking();
    announcements.stop();
    incoming.stop();
    leaveAudience();
    await power.stop();
    await following.then((stop) => stop()).catch(() => {});
    connection?.close();
  };

  return {
    status: () => ({
      enabled: true,
      broker,
      encrypted: /^(?:mqtts|wss):/.test(given.url),
      ...connection.state(),
      id,
      topic: topics.base,
      modules: modules.map(({ name }) => name),
      entities: given.discovery === 'off' ? 0 : announcements.count(),
      discovery: given.discovery,
      messages: count(),
      scopes: given.scopes,
      controls: controls.keys(),
    }),
    reconnect: () => connection?.restart(),
    settingsChanged: () => announcements.announceSoon(),
    async forget() {
      const current = link();
      if (current === null) {
        const { problem } = connection.state();
        throw new Error(`${broker} is not connected: ${problem ?? 'the connection is being made'}`);
      }
      const retained = retainedTopics(service, topics, announcements.images()).map(
        (topic): MqttMessage => ({ topic, payload: '', qos: 1, retain: true }),
      );
      const all = [...announcements.withdrawal(), ...retained];
      endLooking();
      await Promise.all(all.map((message) => current.publish(message)));
      await end();
      storage.remove(announcedFile(host));
      storage.remove(passwordFile(host));
      return all.length;
    },
    async stop() {
      publishRetained(topics.availability, 'offline');
      await delivered();
      await end();
    },
  };
}
