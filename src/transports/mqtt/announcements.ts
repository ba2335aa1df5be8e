import { describedStates } from '../../core/entities/described-entity.ts';
import { configurationUrl } from '../../core/entities/device-facts.ts';
import { hasSameChoices, isSameAnnouncement, type ShownValues } from '../../core/entities/shown-values.ts';
import type { EntityState } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { writeAnnounced } from './announced.ts';
import { createAnnouncer } from './announcer.ts';
import type { Controls } from './controls.ts';
import { componentsOf, deviceBlock, originBlock, powerStateConfig } from './discovery.ts';
import { createPaced } from './paced.ts';
import { imagesIn } from './retained-topics.ts';
import type { MqttSession } from './session.ts';

/** Home Assistant needs less than a second to unload a hundred entities, and does not say when it has. */
const migrationMs = 5000;
/** Minimum between two announcements, whatever the broker sends: one may be hundreds of messages. */
const pauseMs = 10_000;

export type EntityAnnouncements = ReturnType<typeof createEntityAnnouncements>;

/** Keeps the announced entities in step with the values of the modules. */
export function createEntityAnnouncements(
  { service, host, ...transport }: TransportParts,
  session: MqttSession,
  controls: Controls,
) {
  const { given, topics, id, earlier, modules, link, complain, guarded } = session;
  const { publish } = session.outbox;
  const shown = new Map<string, ShownValues>();
  const announced = new Map<string, { name: string; states: readonly EntityState[] }>();
  const images = new Set(imagesIn(earlier));
  const deviceName = () => session.facts.name ?? 'hostler';
  /** The first poll on this connection is complete. */
  let isSettled = false;
  let isSubscribed = false;

  const announcer = createAnnouncer({
    topics,
    style: given.discovery,
    frame: () => ({
      device: deviceBlock(session.facts, id, service.version, configurationUrl(session.facts, transport)),
      origin: originBlock(service.version),
    }),
    earlier: { ...earlier, id },
    save(announced) {
      try {
        writeAnnounced(host, announced);
      } catch (error) {
        complain(`mqtt: the announcements cannot be stored: ${messageOf(error)}`);
      }
    },
  });

  const subscribeCommands = async () => {
    const current = link();
    // Without controls there is no subscription.
    if (current === null || isSubscribed || controls.keys().length === 0) return;
    isSubscribed = true;
    await current.subscribe([topics.commands]);
  };

  const announce = async () => {
    const configs = await controls.refresh(shown, deviceName());
    const names = new Set(['machine', ...modules.map(({ name }) => name), ...configs.keys()]);
    announcer.set('machine', { power_state: powerStateConfig(topics, id, deviceName()) });
    announcer.keepOnly(names);
    for (const [group, { components, declares }] of configs) announcer.set(group, components, declares);
    const current = link();
    if (current === null) return;
    // Subscribe first: a visible control can be used at once.
    await subscribeCommands();
    const migration = announcer.migration();
    for (const message of migration) publish(message);
    if (migration.length > 0) await sleep(host.clock, migrationMs);
    if (link() !== current) return;
    for (const message of announcer.messages()) publish(message);
    // Once more, in case Home Assistant was still unloading: it dropped then what it was not ready for.
    if (migration.length > 0) soon.ask();
  };
  const soon = createPaced(host.clock, pauseMs, () => guarded(announce));

  return {
    /** A new connection: announces everything again after the first poll. */
    begin() {
      isSettled = false;
      isSubscribed = false;
      announcer.begin();
      announced.clear();
    },
    /** The first poll is complete. */
    async settle() {
      isSettled = true;
      soon.ask();
      // Controls from an earlier connection need not wait for the pause.
      await subscribeCommands();
    },
    /** Announces within `delayMs`, or as soon as the pause allows. Requests are merged. */
    announceSoon: soon.ask,
    take(module: string, values: ShownValues, states: readonly EntityState[], mayReturn: boolean) {
      const before = shown.get(module);
      for (const { key, component } of states) if (component === 'image') images.add(key);
      shown.set(module, values);
      // Announcements change rarely, values all the time.
      const last = announced.get(module);
      const name = deviceName();
      const hasOtherChoices = !hasSameChoices(before, values);
      if (last?.name === name && isSameAnnouncement(last.states, states) && !hasOtherChoices) return;
      announced.set(module, { name, states });
      const known = describedStates(module, states, (key) => announcer.knows(module, key));
      const components = componentsOf(known, topics, id, name);
      const isChanged = announcer.set(module, components, () => mayReturn);
      if (isSettled && (isChanged || hasOtherChoices)) soon.ask();
    },
    shown: (module: string) => shown.get(module),
    /** Keys of all images ever published. */
    images: (): Iterable<string> => images,
    withdrawal: announcer.withdrawal,
    count: announcer.count,
    stop: soon.cancel,
  };
}
