import { expect, test } from 'bun:test';
import { type EntityState, sensor } from '../../core/readings/entities.ts';
import { moduleComponents } from './module-components.ts';
import { topicsOf } from './topics.ts';

const naming = { topics: topicsOf('hostler', 'id'), id: 'id', deviceName: 'machine' };

test('a value is announced when it was known once, unless it is often unknown', () => {
  const states: EntityState[] = [
    sensor('profile', 'Power profile', null, { stateClass: null }),
    sensor('load', 'Load', null, { unit: '%' }),
    sensor('used', 'Used', 5, { unit: '%' }),
    sensor('title', 'Title', null, { stateClass: null, isOftenUnknown: true }),
  ];
  const keys = (known: readonly string[]) =>
    Object.keys(moduleComponents('thing', states, naming, { knows: (_, key) => known.includes(key) }));
  expect(keys([])).toEqual(['used', 'title']);
  expect(keys(['profile'])).toEqual(['profile', 'used', 'title']);
});
