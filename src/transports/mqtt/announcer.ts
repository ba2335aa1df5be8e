import type { MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { jsonText } from '../../lib/json-text.ts';
import type { Announced } from './announced.ts';
import type { ComponentConfig } from './discovery.ts';
import type { Topics } from './topics.ts';

export interface AnnouncerParts {
  topics: Topics;
  style: 'device' | 'entity' | 'off';
  /** The device part of every message. */
  frame(): { device: Record<string, unknown>; origin: Record<string, unknown> };
  /** What an earlier run announced. */
  earlier: Announced;
  save(announced: Announced): void;
}

/** Tracks what to announce and what to withdraw. */
export function createAnnouncer({ topics, style, frame, earlier, save }: AnnouncerParts) {
  /** The state at the broker, as far as known. */
  let standing: Announced = earlier;
  const groups = new Map(Object.entries(earlier.groups));
  let fresh = new Set<string>();

  const all = (of: Iterable<[string, Record<string, ComponentConfig>]>) =>
    new Map([...of].flatMap(([, components]) => Object.entries(components)));

  const retained = (topic: string, payload: unknown): MqttMessage => ({
    topic,
    payload: payload === null ? '' : jsonText(payload),
    qos: 1,
    retain: true,
  });

  const asDevice = (now: Map<string, ComponentConfig>, gone: Map<string, ComponentConfig>): MqttMessage[] => {
    const message = (withGone: boolean) =>
      retained(topics.config, {
        ...frame(),
        components: {
          ...(withGone && Object.fromEntries([...gone].map(([key, { platform }]) => [key, { platform }]))),
          ...Object.fromEntries(now),
        },
      });
    // A removal is sent once; the retained message does not carry it.
    return gone.size > 0 ? [message(true), message(false)] : [message(false)];
  };

  const asEntities = (now: Map<string, ComponentConfig>, gone: Map<string, ComponentConfig>): MqttMessage[] => [
    ...[...gone].map(([key, { platform }]) => retained(topics.entityConfig(platform, key), null)),
    ...[...now].map(([key, { platform, ...config }]) =>
      retained(topics.entityConfig(platform, key), { ...frame(), ...config }),
    ),
  ];

  const placesOf = (announced: Announced): string[] => {
    const configs = all(Object.entries(announced.groups));
    if (announced.style === 'device') return [topics.config];
    if (announced.style === 'entity')
      return [...configs].map(([key, { platform }]) => topics.entityConfig(platform, key));
    return [];
  };

  const placesToLeave = () => (standing.style === style ? [] : placesOf(standing));

  return {
    /** True: something is new, changed or removed. `mayReturn`: whether a missing one stays, unknown, until the next start. */
    set(
      group: string,
      components: Record<string, ComponentConfig>,
      mayReturn: (key: string) => boolean = () => true,
    ): boolean {
      const before = groups.get(group);
      // Such as an unplugged disk.
      const kept = Object.entries(fresh.has(group) ? (before ?? {}) : {}).filter(([key]) => mayReturn(key));
      const next = { ...Object.fromEntries(kept), ...components };
      fresh.add(group);
      groups.set(group, next);
      return JSON.stringify(before) !== JSON.stringify(next);
    },
    knows: (group: string, key: string) => Object.hasOwn(groups.get(group) ?? {}, key),
    /** Drops the groups that are not in the list; listed groups without an answer stay. */
    keepOnly(names: ReadonlySet<string>) {
      for (const name of [...groups.keys()]) if (!names.has(name)) groups.delete(name);
    },
    /** Starts again: components that their group does not set from now on are removed. */
    begin() {
      fresh = new Set();
    },
    /**
     * Messages after which Home Assistant unloads what was announced in another style, and keeps its settings. Until it has, it refuses the
     * new announcements (a warning for each) and drops the rest of a device message.
     * https://www.home-assistant.io/integrations/mqtt/#migration-from-single-component-to-device-based-discovery
     */
    migration: (): MqttMessage[] =>
      style === 'off'
        ? []
        : placesToLeave().map((topic) => ({ ...retained(topic, { migrate_discovery: true }), retain: false })),
    messages(): MqttMessage[] {
      const now = all(groups);
      const before = all(Object.entries(standing.groups));
      const gone = new Map([...before].filter(([key, { platform }]) => now.get(key)?.platform !== platform));
      // An empty announcement removes what is announced in its place elsewhere, so it comes first.
      const clearing = placesToLeave().map((place) => retained(place, null));
      const kept = clearing.length > 0 ? new Map<string, ComponentConfig>() : gone;
      const next: Announced = {
        ...standing,
        root: topics.root,
        style: style === 'off' ? null : style,
        groups: style === 'off' ? {} : Object.fromEntries(groups),
      };
      if (JSON.stringify(next) !== JSON.stringify(standing)) save(next);
      standing = next;
      if (style === 'off') return clearing;
      return [...clearing, ...(style === 'device' ? asDevice(now, kept) : asEntities(now, kept))];
    },
    /** Messages that withdraw everything ever announced. */
    withdrawal: () => placesOf(standing).map((place) => retained(place, null)),
    count: () => all(groups).size,
  };
}
