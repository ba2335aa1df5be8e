import { type EntityState, type EntityValue, type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Custom } from './custom.schema.ts';

/** Home Assistant takes no longer states. */
const longestState = 255;

export const customEntities: ModuleEntities<Custom> = {
  atOnce: true,
  read: ({ sensors }) => sensors.map(toEntity),
};

/** What it is called and measured in never depends on how it is now. */
function toEntity({ id, name, unit, parse, value, at, error }: Custom['sensors'][number]): EntityState {
  const isNumber = parse === 'number' || (parse === 'json' && unit !== '');
  return sensor(`custom_${id}`, name, stateOf(value), {
    ...(isNumber && unit !== '' ? { unit } : {}),
    ...(isNumber ? {} : { stateClass: null }),
    icon: 'mdi:gauge',
    attributes: {
      ...(at === null ? {} : { read_at: new Date(at * 1000).toISOString() }),
      ...(error === null ? {} : { error }),
      ...(typeof value === 'object' && value !== null ? { value } : {}),
    },
  });
}

/** Lists by their length, objects by their attributes alone. */
function stateOf(value: unknown): EntityValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.slice(0, longestState).toWellFormed();
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.length : null;
}
