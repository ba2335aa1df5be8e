import { expect, test } from 'bun:test';
import { type EntityState, sensor } from '../readings/entities.ts';
import { describedStates } from './described-entity.ts';

const states: EntityState[] = [
  sensor('profile', 'Power profile', null, { stateClass: null }),
  sensor('load', 'Load', null, { unit: '%' }),
  sensor('used', 'Used', 5, { unit: '%' }),
  sensor('title', 'Title', null, { stateClass: null, isOftenUnknown: true }),
  { key: 'clicked', component: 'event', name: 'Clicked', value: null },
];
const keysOf = (known: readonly string[]) =>
  describedStates('thing', states, (key) => known.includes(key)).map(({ entity }) => entity.key);

test('a value that was never known is not announced, unless it is often unknown; an event has none', () => {
  expect(keysOf([])).toEqual(['used', 'title', 'clicked']);
});

test('what was announced once stays while its value is unknown', () => {
  expect(keysOf(['profile'])).toEqual(['profile', 'used', 'title', 'clicked']);
});
