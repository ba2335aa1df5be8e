import type { MqttMessage } from '@hostler/mqtt/mqtt.ts';
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
export interface Announcer {
  /** True: something is new, changed or removed. */
  set(group: string, components: Record<string, ComponentConfig>): boolean;
  knows(group: string, key: string): boolean;
  /** Drops the groups that are not in the list; listed groups without an answer stay. */
  keepOnly(groups: ReadonlySet<string>): void;
  /** Starts again: components that their group does not set from now on are removed. */
  begin(): void;
  messages(): MqttMessage[];
  /** Messages that withdraw everything ever announced. */
  withdrawal(): MqttMessage[];
  count(): number;
}

export function createAnnouncer({ topics, style, frame, earlier, save }: AnnouncerParts): Announcer {
  /** The state at the broker, as far as known. */
  let standing: Announced = earlier;
  const groups = new Map(Object.entries(earlier.groups));
  let fresh = new Set<string>();

  const all = (of: Iterable<[string, Record<string, ComponentConfig>]>) =>
    new Map([...of].flatMap(([, components]) => Object.entries(components)));

  const retained = (topic: string, payload: unknown): MqttMessage => ({
    topic,
    payload: payload === null ? '' : JSON.stringify(payload),
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

  return {
    set(group, components) {
      const before = groups.get(group);
      // An unplugged disk stays, unknown, until the next start: it may come back.
      const next = fresh.has(group) ? { ...before, ...components } : components;
      fresh.add(group);
      groups.set(group, next);
      return JSON.stringify(before) !== JSON.stringify(next);
    },
    knows: (group, key) => Object.hasOwn(groups.get(group) ?? {}, key),
    keepOnly(names) {
      for (const name of [...groups.keys()]) if (!names.has(name)) groups.delete(name);
    },
    begin() {
      fresh = new Set();
    },
    messages() {
      const now = all(groups);
      const before = all(Object.entries(standing.groups));
      const gone = new Map([...before].filter(([key, { platform }]) => now.get(key)?.platform !== platform));
      const isMoved = standing.style !== null && standing.style !== style;
      const places = isMoved ? placesOf(standing) : [];
      const next: Announced = {
        ...standing,
        root: topics.root,
        style: style === 'off' ? null : style,
        groups: style === 'off' ? {} : Object.fromEntries(groups),
      };
      if (JSON.stringify(next) !== JSON.stringify(standing)) save(next);
      standing = next;
      const clearing = places.map((place) => retained(place, null));
      if (style === 'off') return clearing;
      // Sent first, so that Home Assistant migrates the configuration instead of losing it.
      const moving = places.map((topic) => ({ ...retained(topic, { migrate_discovery: true }), retain: false }));
      const kept = isMoved ? new Map<string, ComponentConfig>() : gone;
      return [...moving, ...(style === 'device' ? asDevice(now, kept) : asEntities(now, kept)), ...clearing];
    },
    withdrawal: () => placesOf(standing).map((place) => retained(place, null)),
    count: () => all(groups).size,
  };
}
