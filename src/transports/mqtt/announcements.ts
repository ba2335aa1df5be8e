import type { MqttLink, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import type { DeviceFacts, EntityState } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import { type Announced, writeAnnounced } from './announced.ts';
import { createAnnouncer } from './announcer.ts';
import type { Controls } from './controls.ts';
import { configurationUrl } from './device-facts.ts';
import { deviceBlock, originBlock, powerStateConfig } from './discovery.ts';
import { choicesPrint, moduleComponents, printOf } from './module-components.ts';
import { createPaced } from './paced.ts';
import { imagesIn } from './retained-topics.ts';
import type { Topics } from './topics.ts';
import type { ShownValues } from './values.ts';

/** What home automation is told to show, kept in step with what the modules show. */
export interface EntityAnnouncements {
  /** A connection stands: everything is announced anew, once everything was looked at. */
  begin(): void;
  /** Everything was looked at. */
  settle(): Promise<void>;
  /** Announces within `delayMs`, or as soon as the pause allows. Requests are merged. */
  announceSoon(delayMs?: number): void;
  /** What a module shows now. */
  take(module: string, values: ShownValues, states: readonly EntityState[]): void;
  shown(module: string): ShownValues | undefined;
  /** Pictures that were ever published. */
  images(): Iterable<string>;
  /** Everything that was ever announced, taken back. */
  withdrawal(): MqttMessage[];
  count(): number;
  stop(): void;
}

export interface EntityAnnouncementsParts {
  /** The broker and the names there. */
  topics: Topics;
  id: string;
  style: 'device' | 'entity' | 'off';
  /** What an earlier run announced. */
  earlier: Announced;
  modules: readonly { name: string }[];
  controls: Controls;
  facts(): DeviceFacts;
  link(): MqttLink | null;
  publish(message: MqttMessage): boolean;
  complain(sentence: string): void;
  /** Runs it, and says in the log what went wrong. */
  guarded(work: () => Promise<unknown>): Promise<void>;
}

/** Between two announcements, whatever the broker sends: one may be hundreds of messages. */
const pauseMs = 10_000;

export function createEntityAnnouncements(
  { service, host, ...transport }: TransportParts,
  { topics, id, style, earlier, modules, controls, facts, link, publish, complain, guarded }: EntityAnnouncementsParts,
): EntityAnnouncements {
  const shown = new Map<string, ShownValues>();
  const prints = new Map<string, string>();
  const images = new Set(imagesIn(earlier));
  const deviceName = () => facts().name ?? 'hostler';
  /** Everything was looked at once since the connection stands. */
  let isSettled = false;
  let isSubscribed = false;

  const announcer = createAnnouncer({
    topics,
    style,
    frame: () => ({
      device: deviceBlock(facts(), id, service.version, configurationUrl(facts(), transport)),
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

  const subscribeCommands = async () => {
    const current = link();
    // Where nothing can be controlled, nothing is listened to either.
    if (current === null || isSubscribed || controls.keys().length === 0) return;
    isSubscribed = true;
    await current.subscribe([topics.commands]);
  };

  const announce = async () => {
    const configs = await controls.look(shown, deviceName());
    const names = new Set(['machine', ...modules.map(({ name }) => name), ...configs.keys()]);
    announcer.set('machine', { power_state: powerStateConfig(topics, id, deviceName()) });
    announcer.keepOnly(names);
    for (const [group, components] of configs) announcer.set(group, components);
    if (link() === null) return;
    // First: whoever sees a control may use it.
    await subscribeCommands();
    for (const message of announcer.messages()) publish(message);
  };
  const soon = createPaced(host.clock, pauseMs, () => guarded(announce));

  return {
    begin() {
      isSettled = false;
      isSubscribed = false;
      announcer.begin();
      prints.clear();
    },
    async settle() {
      isSettled = true;
      soon.ask();
      // Controls that are known from an earlier connection need not wait for the pause.
      await subscribeCommands();
    },
    announceSoon: soon.ask,
    take(module, values, states) {
      const before = shown.get(module);
      for (const { key, component } of states) if (component === 'image') images.add(key);
      shown.set(module, values);
      // What is announced changes rarely, what is read all the time.
      const print = printOf(deviceName(), states);
      const hasOtherChoices = choicesPrint(before) !== choicesPrint(values);
      if (prints.get(module) === print && !hasOtherChoices) return;
      prints.set(module, print);
      const components = moduleComponents(module, states, { topics, id, deviceName: deviceName() }, announcer);
      const isChanged = announcer.set(module, components);
      if (isSettled && (isChanged || hasOtherChoices)) soon.ask();
    },
    shown: (module) => shown.get(module),
    images: () => images,
    withdrawal: announcer.withdrawal,
    count: announcer.count,
    stop: soon.cancel,
  };
}
