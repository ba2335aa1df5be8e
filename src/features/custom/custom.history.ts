import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Custom } from './custom.schema.ts';

/** What is beyond it cannot be kept, and is no measure of anything. */
const largest = 1e14;

export const customHistory: ModuleHistory<Custom> = {
  series: {},
  // Whether JSON holds a number is seen when it is read.
  configured: ({ custom }) =>
    Object.fromEntries(
      custom.sensors
        .filter(({ parse, record }) => record && (parse === 'number' || parse === 'json'))
        .map(({ id, name, unit }) => [`custom.${id}`, { unit, description: name }]),
    ),
  read({ sensors }, moment) {
    // The last good value of a sensor that fails says nothing about this moment.
    for (const { id, value, error } of sensors) moment.value(`custom.${id}`, error === null ? numberOf(value) : null);
  },
};

function numberOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? Math.max(-largest, Math.min(largest, value)) : null;
}
