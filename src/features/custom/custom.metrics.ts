import { gauge, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Custom } from './custom.schema.ts';

export const customMetrics: ModuleMetrics<Custom> = {
  read: ({ sensors }) => [
    gauge(
      'hostler_custom_value',
      'Last value of a sensor of your own',
      sensors.map(({ id, unit, value }) => [
        { id, unit },
        typeof value === 'number' || typeof value === 'boolean' ? value : null,
      ]),
    ),
    gauge(
      'hostler_custom_timestamp_seconds',
      'When that value was read',
      sensors.map(({ id, at }) => [{ id }, at]),
    ),
    gauge(
      'hostler_custom_failed',
      'Whether the latest attempt to read it failed',
      sensors.map(({ id, error }) => [{ id }, error !== null]),
    ),
  ],
};
