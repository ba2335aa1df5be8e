import { expect, test } from 'bun:test';
import { componentConfig, deviceBlock } from './discovery.ts';
import { topicId, topicsOf } from './topics.ts';

const hostile = ['a/b/+/#', '$SYS/x', '{{ states("x") }}', '\u0000', '\u202e', 'ü/../..'];

test.each(hostile)('a host or a sensor named %p leaves topics and templates as they are', (name) => {
  const id = topicId(name);
  const topics = topicsOf('hostler', id);
  expect(id).toMatch(/^[a-z0-9_-]*$/);
  const entity = { key: 'custom_x', component: 'sensor', name } as const;
  const described = { entity, group: 'custom', isControl: true, hasAttributes: true, hasState: true };
  const { name: shown, ...rest } = componentConfig(described, topics, id, name);
  expect(shown).toBe(name);
  for (const [field, value] of Object.entries(rest))
    if (typeof value === 'string' && !field.endsWith('template')) expect(value).toMatch(/^[a-z0-9_./-]+$/i);
  expect(rest.value_template).toBe('{{ value_json.custom_x | default(none) }}');
  // Displayed text is a JSON string, separate from everything else.
  const facts = { id: null, name, manufacturer: null, model: null, mac: null, address: null };
  expect(JSON.parse(JSON.stringify(deviceBlock(facts, id, '1', null)))).toMatchObject({ name });
});
