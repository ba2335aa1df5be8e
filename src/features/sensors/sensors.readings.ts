import { asGauge } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
import type { Sensors } from './sensors.schema.ts';

/** A server has dozens; the user enables the rest. */
const shown = 8;

export const sensorsReadings = readings<Sensors>({
  rows: [
    each(
      ({ temperatures }) => temperatures,
      { label: ({ key }) => ({ sensor: key }), key: ({ key }) => key, device: ({ key }) => key, shown },
      [
        {
          id: 'temp_{key}',
          name: 'Temperature {title}',
          help: 'Current temperature of every sensor, by its key in the module',
          unit: 'celsius',
          value: ({ temperature }) => temperature,
          entity: { isDiagnostic: true },
          prometheus: 'hostler_temperature_celsius',
          otlp: asGauge('hw.temperature', 'Cel', ({ sensor = '' }) => ({ 'hw.id': sensor })),
          record: {
            name: 'temperature',
            title: 'Temperature',
            description: 'temperature/KEY: one sensor, by its key in the module',
          },
        },
      ],
    ),
    each(
      ({ fans }) => fans,
      {
        label: ({ key, name, label }) => ({ fan: key, name, label }),
        key: ({ key }) => key,
        title: ({ key, label }) => label || key,
        shown,
      },
      [
        {
          id: 'fan_{key}',
          name: 'Fan {title}',
          help: 'Speed of every fan and pump, by its key in the module',
          value: ({ speed_rpm }) => speed_rpm,
          entity: { unit: 'rpm', isDiagnostic: true, icon: 'mdi:fan' },
          prometheus: 'hostler_fan_speed_rpm',
          otlp: asGauge('hw.fan.speed', 'rpm', ({ fan = '', name = '', label }) => ({
            'hw.id': fan,
            'hw.name': label || name,
          })),
        },
      ],
    ),
  ],
  scrape: { linux: async () => (await import('./linux/sensors.scrape.ts')).sensorsMetricsLinux },
  // Temperatures change slowly, and each is a separate file.
  entities: { atMostEvery: 30 },
  sampler: { linux: async () => (await import('./linux/sensors.sampler.ts')).sensorsHistoryLinux },
});
