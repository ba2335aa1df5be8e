import { expect, test } from 'bun:test';
import type { EntityState } from '../../core/readings/entities.ts';
import { moduleComponents } from './module-components.ts';
import { topicsOf } from './topics.ts';

const naming = { topics: topicsOf('hostler', 'id'), id: 'id', deviceName: 'desk' };
const states: EntityState[] = [
  { key: 'power_profile', component: 'sensor', name: 'Power profile', value: null },
  { key: 'temperature', component: 'sensor', name: 'Temperature', unit: '°C', value: null },
  { key: 'artwork', component: 'image', name: 'Artwork', value: null },
  { key: 'clicked', component: 'event', name: 'Clicked', value: null },
  { key: 'memory', component: 'sensor', name: 'Memory', unit: '%', value: 3 },
];
const keysOf = (known: string[]) =>
  Object.keys(moduleComponents('it', states, naming, { knows: (_group, key) => known.includes(key) }));

test('a value that was never known is not announced, whatever its kind; an event has none', () => {
  expect(keysOf([])).toEqual(['clicked', 'memory']);
});

test('what was announced once stays while its value is unknown', () => {
  expect(keysOf(['power_profile', 'artwork'])).toEqual(['power_profile', 'artwork', 'clicked', 'memory']);
});
