import { type EntityState, type EntityValue, sensor } from '../../core/readings/entities.ts';
import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
import type { Custom } from './custom.schema.ts';

/** Home Assistant rejects longer states. */
const longestState = 255;
/** A recorded value is limited to this. */
const largest = 1e14;

type CustomSensor = Custom['sensors'][number];

export const customReadings = readings<Custom>({
  rows: [
    each(({ sensors }) => sensors, { label: ({ id, unit }: CustomSensor) => ({ id, unit }) }, [
      {
        help: 'Last value of a sensor of your own',
        value: ({ value }) => (typeof value === 'number' || typeof value === 'boolean' ? value : null),
        prometheus: 'hostler_custom_value',
      },
    ]),
    each(({ sensors }) => sensors, { label: ({ id }: CustomSensor) => ({ id }) }, [
      { help: 'When that value was read', value: ({ at }) => at, prometheus: 'hostler_custom_timestamp_seconds' },
      {
        help: 'Whether the latest attempt to read it failed',
        value: ({ error }) => error !== null,
        prometheus: 'hostler_custom_failed',
      },
    ]),
  ],
  // The key is the id as it is, and the settings decide the unit and the class.
  entities: { atOnce: true, isWhole: true, read: ({ sensors }) => sensors.map(toEntity) },
  history: {
    // Only a reading shows whether JSON holds a number.
    configured: ({ custom }) =>
      Object.fromEntries(
        custom.sensors
          .filter(({ parse, record }) => record && (parse === 'number' || parse === 'json'))
          .map(({ id, name, unit }) => [`custom.${id}`, { unit, title: name, description: name }]),
      ),
    read({ sensors }, moment) {
      // The last good value of a sensor that fails is not its current value.
      for (const { id, value, error } of sensors) moment.value(`custom.${id}`, error === null ? recorded(value) : null);
    },
  },
});

/** The name and the unit never depend on the current value. */
function toEntity({ id, name, unit, parse, value, at, error }: CustomSensor): EntityState {
  const isNumber = parse === 'number' || (parse === 'json' && unit !== '');
  return sensor(`custom_${id}`, name, stateOf(value), {
    ...(isNumber && unit !== '' ? { unit } : {}),
    ...(isNumber ? {} : { stateClass: null }),
    icon: 'mdi:gauge',
    isOftenUnknown: true,
    attributes: {
      ...(at === null ? {} : { read_at: new Date(at * 1000).toISOString() }),
      ...(error === null ? {} : { error }),
      ...(typeof value === 'object' && value !== null ? { value } : {}),
    },
  });
}

/** The state of a list is its length; an object has only attributes. */
function stateOf(value: unknown): EntityValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.slice(0, longestState).toWellFormed();
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.length : null;
}

function recorded(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? Math.max(-largest, Math.min(largest, value)) : null;
}
