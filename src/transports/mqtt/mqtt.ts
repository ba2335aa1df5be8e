import { readSecret } from '../../access/secrets.ts';
import type { EntityState, EntityValue } from '../../core/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { sleep as after } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { createSharedTimers } from '../../lib/shared-timers.ts';
import { createThrottle } from '../../lib/throttle.ts';
import { type MqttClient, startClient } from '../../protocols/mqtt/client.ts';
import { openLink } from '../../protocols/mqtt/link.ts';
import type { MqttDelivery, MqttLink, MqttMessage } from '../../protocols/mqtt/mqtt.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type Announced, announcedFile, passwordFile, readAnnounced, writeAnnounced } from './announced.ts';
import { createAnnouncer } from './announcer.ts';
import { brokerTarget, isExposed, shownBroker } from './broker-address.ts';
import { createCommandHandler } from './commands.ts';
import { createControls } from './controls.ts';
import { configurationUrl, readDeviceFacts } from './device-facts.ts';
import { deviceBlock, originBlock, powerStateConfig } from './discovery.ts';
import { createLogOnce } from './log-once.ts';
import { choicesPrint, moduleComponents, printOf } from './module-components.ts';
import type { MqttStatus } from './mqtt.schema.ts';
import { createOrders } from './orders.ts';
import { createMqttOutbox } from './outbox.ts';
import { createModulePublisher, type ModulePublisher } from './publisher.ts';
import { createRequestHandler } from './requests.ts';
import { imagesIn, leftoverTopics, retainedTopics } from './retained-topics.ts';
import { createSleepGuard } from './sleep-guard.ts';
import { birthTopic, topicId, topicsOf } from './topics.ts';
import type { ShownValues } from './values.ts';

/** The connection to one broker, for as long as the settings are these. */
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

const keepAliveSeconds = 60;
const willDelaySeconds = 10;
const patienceMs = 20_000;
const longestPacket = 131_072;
/** Home Assistant has just started, and every machine hears of it. */
const birthSpreadMs = 30_000;
const announcePauseMs = 5000;
const firstLookMs = 5000;

export async function startMqtt(parts: TransportParts): Promise<RunningMqtt> {
  const { service, host, log, settings } = parts;
  const { clock, storage } = host;
  const given: Settings['mqtt'] = settings.current().mqtt;
  const broker = shownBroker(given.url);
  const complain = createLogOnce(clock, log.warn);
  const beats = createSharedTimers(clock);
  let facts = await readDeviceFacts(parts);
  const earlier: Announced = readAnnounced(host) ?? { id: '', style: null, root: given.topic, groups: {} };
  const id = topicId(facts.id ?? (earlier.id || crypto.randomUUID()));
  const topics = topicsOf(given.topic, id);
  // A machine without an id of its own keeps the one it was given.
  if (facts.id === null && earlier.id === '') writeAnnounced(host, { ...earlier, id });
  const deviceName = () => facts.name ?? 'hostler';
  const shown = new Map<string, ShownValues>();
  const sleep = createSleepGuard(clock);
  const isPublished = (name: string) => given.modules.length === 0 || given.modules.includes(name);
  const modules = service.modules.filter(({ name }) => isPublished(name));
  let client: MqttClient | null = null;
  const linkNow = () => client?.link() ?? null;
  const imageKeys = new Set(imagesIn(earlier));
  const prints = new Map<string, string>();
  let since: number | null = null;
  let problem: string | null = null;
  let retryAt: number | null = null;
  let closed = false;
  let leaveAudience: () => void = () => {};
  let powerState: 'on' | 'sleeping' | 'off' = 'on';
  const { publish, publishRetained, delivered, count } = createMqttOutbox(clock, linkNow, complain);

  const announcer = createAnnouncer({
    topics,
    style: given.discovery,
    frame: () => ({
      device: deviceBlock(facts, id, service.version, configurationUrl(facts, parts)),
      origin: originBlock(service.version),
    }),
    earlier: { ...earlier, id },
    save(announced) {
      try {
        writeAnnounced(host, announced);
      } catch (error) {
        complain(`mqtt: what was announced cannot be kept: ${messageOf(error)}`);
      }
    },
  });
  const controls = createControls(parts, topics, id);

  const orders = createOrders(parts, new URL(given.url).hostname, ({ key, type, data }) =>
    publish({
      topic: topics.event(key),
      payload: JSON.stringify({ event_type: type, ...data }),
      qos: 1,
      retain: false,
    }),
  );
  const isFresh = () => !sleep.hasSlept();
  const command = createCommandHandler({
    topics,
    orders,
    offered: controls.offered,
    choice({ key, module }, sent) {
      const choices = module === undefined ? undefined : shown.get(module)?.choices.get(key);
      return choices === undefined ? sent : (choices.get(sent) ?? null);
    },
    isFresh,
    complain,
  });
  const request = createRequestHandler({
    topics,
    actions: service.actions,
    orders,
    isFresh,
    publish: (message) => void publish(message),
    complain,
  });

  const announce = async () => {
    const configs = await controls.look(shown, deviceName());
    const names = new Set(['machine', ...modules.map(({ name }) => name), ...configs.keys()]);
    announcer.set('machine', { power_state: powerStateConfig(topics, id, deviceName()) });
    announcer.keepOnly(names);
    for (const [group, components] of configs) announcer.set(group, components);
    if (linkNow() === null) return;
    // First: whoever sees a control may use it.
    await subscribeCommands();
    for (const message of announcer.messages()) publish(message);
  };
  const announceSoon = createThrottle(clock, announcePauseMs, () => void guarded(announce));

  const guarded = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      if (!closed) log.warn(`mqtt: ${messageOf(error)}`);
    }
  };

  const onEntities = (module: string, values: ShownValues, states: readonly EntityState[]) => {
    const before = shown.get(module);
    for (const { key, component } of states) if (component === 'image') imageKeys.add(key);
    shown.set(module, values);
    // What is announced changes rarely, what is read all the time.
    const print = printOf(deviceName(), states);
    const isSame = prints.get(module) === print && choicesPrint(before) === choicesPrint(values);
    prints.set(module, print);
    if (isSame) return;
    const components = moduleComponents(module, states, { topics, id, deviceName: deviceName() }, announcer);
    const isChanged = announcer.set(module, components);
    if (isSettled && (isChanged || choicesPrint(before) !== choicesPrint(values))) announceSoon.ask();
  };

  const publishers: ModulePublisher[] = [];
  const actionValues = new Map<string, Record<string, EntityValue>>();
  /** Everything was looked at once since the connection stands. */
  let isSettled = false;
  let isSubscribed = false;

  const subscribeCommands = async () => {
    const link = linkNow();
    // Where nothing can be controlled, nothing is listened to either.
    if (link === null || isSubscribed || controls.keys().length === 0) return;
    isSubscribed = true;
    await link.subscribe([topics.commands]);
  };

  const greet = async (link: MqttLink) => {
    isSettled = false;
    isSubscribed = false;
    announcer.begin();
    prints.clear();
    for (const publisher of publishers) publisher.again();
    publishRetained(topics.availability, 'online');
    publishRetained(topics.powerState, powerState);
    await link.subscribe(given.discovery === 'off' ? [topics.request] : [topics.request, birthTopic]);
    for (const topic of leftoverTopics(service, topics, earlier, isPublished)) publishRetained(topic, '');
    for (const [name, values] of actionValues) publishRetained(topics.values(name), JSON.stringify(values));
    const looked = Promise.all(publishers.map((publisher) => publisher.look()));
    await Promise.race([looked, after(clock, firstLookMs)]);
    isSettled = true;
    await announce();
  };

  const heard = (delivery: MqttDelivery) => {
    const { topic } = delivery;
    if (topic === topics.request) void guarded(() => request(delivery));
    else if (topic.startsWith(topics.command(''))) void guarded(() => command(delivery));
    else if (topic === birthTopic) {
      // One that was kept says nothing about now; we have just announced ourselves anyway.
      if (!delivery.retain && new TextDecoder().decode(delivery.payload) === 'online')
        clock.after(Math.random() * birthSpreadMs, () => void guarded(announce));
    } else complain(`mqtt: the broker sent ${JSON.stringify(topic.slice(0, 64))}, which was not asked for`);
  };

  if (isExposed(given.url) && given.username !== '')
    log.warn(`mqtt: the password for ${broker} travels unencrypted; use mqtts:// or wss://`);

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
        entities: onEntities,
        device(next) {
          facts = next;
        },
      }),
    );
  }
  client = startClient(
    {
      clock,
      random: Math.random,
      open: async ({ version, clean }, events) => {
        const target = brokerTarget(given, storage.read);
        return await openLink(
          { clock, open: (stream) => host.connect(target, stream, patienceMs) },
          {
            version,
            clean,
            clientId: `hostler-${id}`,
            username: given.username || null,
            password: (await readSecret(host, passwordFile(host)))?.trim() ?? null,
            keepAliveSeconds,
            will: { topic: topics.availability, payload: 'offline', delaySeconds: willDelaySeconds },
            longestPacket,
            patienceMs,
          },
          events,
        );
      },
    },
    {
      connected(link) {
        since = clock.now();
        problem = null;
        retryAt = null;
        sleep.begin();
        log.info(`mqtt: connected to ${broker} with MQTT ${link.version === 5 ? '5' : '3.1.1'}`);
        leaveAudience = service.audience.join({ delivered, noticesWaking: true });
        void guarded(() => greet(link));
      },
      message: heard,
      lost(sentence, retryMs) {
        leaveAudience();
        leaveAudience = () => {};
        const isNews = since !== null || problem !== sentence;
        since = null;
        problem = sentence;
        retryAt = clock.now() + retryMs;
        if (isNews) log.warn(`mqtt: ${broker}: ${sentence}`);
      },
    },
  );

  /** Modules that are looked at equally often are looked at together. */
  const cancels = [...Map.groupBy(publishers, ({ everySeconds }) => everySeconds)].map(([everySeconds, group]) => {
    let cancel = () => {};
    const next = () => {
      cancel = beats.next(everySeconds * 1000, () => {
        next();
        if (linkNow() === null) return;
        if (sleep.hasSlept()) return client?.restart();
        for (const publisher of group) void publisher.look();
      });
    };
    next();
    return () => cancel();
  });

  const say = (state: typeof powerState) => {
    powerState = state;
    publishRetained(topics.powerState, state);
  };
  const machine = host.machineEvents?.((event) => {
    if (event === 'sleep') say('sleeping');
    else if (event === 'shutdown') say('off');
    else if (event === 'shutdown-cancelled') say('on');
    else if (event === 'resume') {
      powerState = 'on';
      // Nothing that was on its way while the machine slept is listened to.
      client?.restart();
    }
  });
  machine?.catch((error) => log.debug(`mqtt: sleep and shutdown are not announced: ${messageOf(error)}`));
  const following = controls.follow((action, states) => {
    actionValues.set(action, { ...actionValues.get(action), ...states });
    publishRetained(topics.values(action), JSON.stringify(actionValues.get(action)));
  });
  following.catch((error) => log.warn(`mqtt: ${messageOf(error)}`));

  const stop = async () => {
    closed = true;
    for (const cancel of cancels) cancel();
    for (const publisher of publishers) publisher.stop();
    announceSoon.cancel();
    orders.stop();
    leaveAudience();
    await machine?.then((end) => end()).catch(() => {});
    await following.then((end) => end()).catch(() => {});
    client?.close();
  };

  return {
    status: () => ({
      enabled: true,
      broker,
      encrypted: /^(?:mqtts|wss):/.test(given.url),
      connected: linkNow() !== null,
      since: since === null ? null : new Date(since).toISOString(),
      protocol: versionOf(linkNow()),
      id,
      topic: topics.base,
      modules: modules.map(({ name }) => name),
      entities: given.discovery === 'off' ? 0 : announcer.count(),
      discovery: given.discovery,
      messages: count(),
      scopes: given.scopes,
      controls: controls.keys(),
      problem,
      retry_at: retryAt === null ? null : new Date(retryAt).toISOString(),
    }),
    reconnect: () => client?.restart(),
    settingsChanged: announceSoon.ask,
    async forget() {
      const known = linkNow();
      if (known === null) throw new Error(`${broker} is not connected: ${problem ?? 'the connection is being made'}`);
      const retained = retainedTopics(service, topics, imageKeys).map(
        (topic): MqttMessage => ({ topic, payload: '', qos: 1, retain: true }),
      );
      const all = [...announcer.withdrawal(), ...retained];
      for (const publisher of publishers) publisher.stop();
      for (const cancel of cancels) cancel();
      await Promise.all(all.map((message) => known.publish(message)));
      await stop();
      storage.remove(announcedFile(host));
      storage.remove(passwordFile(host));
      return all.length;
    },
    async stop() {
      publishRetained(topics.availability, 'offline');
      await delivered();
      await stop();
    },
  };
}

function versionOf(link: MqttLink | null): MqttStatus['protocol'] {
  if (link === null) return null;
  return link.version === 5 ? '5' : '3.1.1';
}
