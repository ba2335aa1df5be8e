import { expect, test } from 'bun:test';
import { type EntityState, sensor } from '../../core/readings/entities.ts';
import { moduleComponents } from './module-components.ts';
import { topicsOf } from './topics.ts';

const naming = { topics: topicsOf('hostler', 'id'), id: 'id', deviceName: 'machine' };
const states: EntityState[] = [
  sensor('profile', 'Power profile', null, { stateClass: null }),
  sensor('load', 'Load', null, { unit: '%' }),
  sensor('used', 'Used', 5, { unit: '%' }),
  sensor('title', 'Title', null, { stateClass: null, isOftenUnknown: true }),
  { key: 'clicked', component: 'event', name: 'Clicked', value: null },
];
const keysOf = (known: readonly string[]) =>
  Object.keys(moduleComponents('thing', states, naming, { knows: (_group, key) => known.includes(key) }));

test('a value that was never known is not announced, unless it is often unknown; an event has none', () => {
  expect(keysOf([])).toEqual(['used', 'title', 'clicked']);
});

test('what was announced once stays while its value is unknown', () => {
  expect(keysOf(['profile'])).toEqual(['profile', 'used', 'title', 'clicked']);
});
