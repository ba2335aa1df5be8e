import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Sensors, Temperature } from './sensors.schema.ts';

const platforms: PerPlatform<Promise<Metric[]>, [Sensors]> = {
  linux: async () => (await import('./linux/sensors.scrape.ts')).sensorsMetricsLinux,
};

export const sensorsMetrics: ModuleMetrics<Sensors> = {
  beside: async (payload, host) => (await loadFor(host, platforms))?.(payload) ?? [],
  read({ temperatures, fans }) {
    const each = (value: (temperature: Temperature) => number | null) =>
      temperatures.map((temperature) => [{ sensor: temperature.key }, value(temperature)] as const);
    return [
      gauge(
        'hostler_temperature_celsius',
        'Current temperature of every sensor, by its key in the module',
        each(({ temperature }) => temperature),
      ),
      gauge(
        'hostler_fan_speed_rpm',
        'Speed of every fan and pump, by its key in the module',
        fans.map(({ key, name, label, speed_rpm }) => [{ fan: key, name, label }, speed_rpm]),
      ),
    ];
  },
};
