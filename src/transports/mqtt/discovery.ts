import { type DescribedEntity, stateClassOf } from '../../core/entities/described-entity.ts';
import type { DeviceFacts, EntityDescription } from '../../core/readings/entities.ts';
import type { Topics } from './topics.ts';

/** The announcement of one entity; the field names are Home Assistant's. */
export type ComponentConfig = Record<string, unknown> & { platform: string; unique_id: string };

/** A shutdown that was sent while the machine slept must not run after resume. */
const commandExpirySeconds = 30;

/** By the keys of the entities. https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery */
export const componentsOf = (
  described: readonly DescribedEntity[],
  topics: Topics,
  id: string,
  deviceName: string,
): Record<string, ComponentConfig> =>
  Object.fromEntries(described.map((one) => [one.entity.key, componentConfig(one, topics, id, deviceName)]));

export function componentConfig(
  described: DescribedEntity,
  topics: Topics,
  id: string,
  deviceName: string,
): ComponentConfig {
  const { entity, group, isControl, hasAttributes, hasState } = described;
  const { key, component } = entity;
  const values = group === null ? null : topics.values(group);
  return {
    platform: component,
    unique_id: `hostler_${id}_${key}`,
    default_entity_id: `${component}.${slug(deviceName)}_${key}`,
    name: entity.name,
    ...given('device_class', entity.deviceClass),
    ...given('unit_of_measurement', entity.unit),
    ...given('state_class', stateClassOf(entity)),
    ...given('entity_category', entity.isDiagnostic ? 'diagnostic' : undefined),
    ...given('enabled_by_default', entity.isOff ? false : undefined),
    ...given('icon', entity.icon),
    ...given('options', entity.options),
    ...given('min', entity.min),
    ...given('max', entity.max),
    ...given('step', entity.step),
    ...given('event_types', entity.eventTypes),
    availability_topic: topics.availability,
    ...(values !== null && hasState && stateFields(entity, values)),
    ...(values !== null && hasAttributes && attributeFields(key, values)),
    ...(component === 'event' && { state_topic: topics.event(key) }),
    ...(component === 'image' && { image_topic: topics.image(key) }),
    ...(isControl && {
      command_topic: topics.command(key),
      qos: 1,
      message_expiry_interval: commandExpirySeconds,
      ...(component === 'button' && { payload_press: 'PRESS' }),
      ...(component === 'switch' && { payload_on: 'ON', payload_off: 'OFF' }),
    }),
  };
}

/** On its own topic and without availability: readable while the machine sleeps. */
export function powerStateConfig(topics: Topics, id: string, deviceName: string): ComponentConfig {
  return {
    platform: 'sensor',
    unique_id: `hostler_${id}_power_state`,
    default_entity_id: `sensor.${slug(deviceName)}_power_state`,
    name: 'Power state',
    device_class: 'enum',
    options: ['on', 'sleeping', 'off'],
    icon: 'mdi:power-settings',
    state_topic: topics.powerState,
  };
}

export function deviceBlock(facts: DeviceFacts, id: string, version: string, url: string | null) {
  return {
    identifiers: [`hostler_${id}`],
    ...(facts.mac !== null && { connections: [['mac', facts.mac.toLowerCase()]] }),
    name: facts.name ?? 'Hostler',
    ...given('manufacturer', facts.manufacturer ?? undefined),
    ...given('model', facts.model ?? undefined),
    sw_version: version,
    ...given('configuration_url', url ?? undefined),
  };
}

export const originBlock = (version: string) => ({ name: 'Hostler', sw_version: version });

/** Null is `None`, which is unknown. A missing key, such as that of a removed disk, is unknown as well. */
function stateFields({ key, component }: EntityDescription, topic: string): Record<string, unknown> {
  const plain = { state_topic: topic, value_template: `{{ value_json.${key} | default(none) }}` };
  // Python's texts for booleans.
  if (component === 'binary_sensor') return { ...plain, payload_on: 'True', payload_off: 'False' };
  if (component === 'switch') return { ...plain, state_on: 'True', state_off: 'False' };
  if (component === 'update') return { state_topic: topic, value_template: `{{ (value_json.${key} or {}) | tojson }}` };
  return plain;
}

const attributeFields = (key: string, topic: string) => ({
  json_attributes_topic: topic,
  json_attributes_template: `{{ (value_json.${key}_attributes | default({})) | tojson }}`,
});

const given = (key: string, value: unknown): Record<string, unknown> => (value === undefined ? {} : { [key]: value });

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '') || 'hostler';
