import type { MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { createEntityReader, type EntityReader, type EntityReaderParts } from '../../core/entities/entity-reader.ts';
import { pictureIn, type ShownValues } from '../../core/entities/shown-values.ts';
import type { ModuleDefinition } from '../../core/module.ts';
import type { DeviceFacts, EntityState } from '../../core/readings/entities.ts';
import { jsonText } from '../../lib/json-text.ts';
import type { Topics } from './topics.ts';

/** Publishes the readings of one module to its topics. `reset`: everything again at the next poll, because the broker may have lost it. */
export type ModulePublisher = EntityReader;

export interface PublisherParts extends Omit<EntityReaderParts, 'owner' | 'took' | 'absent'> {
  topics: Topics;
  /** False: not sent; the caller tries again later. */
  publish(message: MqttMessage): boolean;
  entities(module: string, shown: ShownValues, states: readonly EntityState[], mayReturn: boolean): void;
  device(facts: DeviceFacts): void;
}

export async function createModulePublisher(
  definition: ModuleDefinition,
  parts: PublisherParts,
): Promise<ModulePublisher> {
  const { topics, publish } = parts;
  const { name } = definition;
  /** The last text by topic. */
  const sent = new Map<string, string>();
  const send = (topic: string, text: string, payload: MqttMessage['payload'] = text) => {
    if (sent.get(topic) === text) return;
    if (publish({ topic, payload, qos: 0, retain: true })) sent.set(topic, text);
  };
  const reader = await createEntityReader(definition, {
    ...parts,
    owner: 'mqtt',
    took(reading, read) {
      send(topics.state(name), reading.text);
      if (read === null) return;
      const { of, states, shown } = read;
      if (of.device !== undefined) parts.device(of.device(reading.payload));
      parts.entities(name, shown, states, of.isWhole !== true);
      send(topics.values(name), jsonText(shown.values));
      for (const { key, component, value } of states) {
        if (component !== 'image') continue;
        send(topics.image(key), typeof value === 'string' ? value : '', pictureIn(value)?.bytes ?? new Uint8Array(0));
      }
    },
    absent() {
      if (sent.has(topics.state(name))) send(topics.state(name), '');
      if (sent.has(topics.values(name))) send(topics.values(name), '{}');
    },
  });
  return {
    ...reader,
    reset() {
      sent.clear();
      reader.reset();
    },
  };
}
