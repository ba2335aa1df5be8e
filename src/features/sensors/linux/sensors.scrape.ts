import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Sensors, Temperature } from '../sensors.schema.ts';
import { chipMetrics, exportedChips } from './sensors.chip-metrics.ts';
import { powerSupplyMetrics } from './sensors.power-supply-metrics.ts';
import { thermalMetrics } from './sensors.thermal-metrics.ts';

/** The sensors of the kernel with the names of node_exporter. */
export async function sensorsMetricsLinux(
  { files }: Pick<LinuxHost, 'files'>,
  { temperatures, fans }: Pick<Sensors, 'temperatures' | 'fans'>,
): Promise<Metric[]> {
  const chips = exportedChips(files);
  const elsewhere = new Map(
    chips.flatMap(({ label, channels }) => channels.map(({ key, sensor }) => [key, { chip: label, sensor }])),
  );
  const eachOfHwmon = (value: (temperature: Temperature) => number | null) =>
    temperatures.flatMap((temperature) => {
      const labels = elsewhere.get(temperature.key);
      return labels === undefined ? [] : [[labels, value(temperature)] as const];
    });
  return [
    gauge(
      'node_hwmon_temp_celsius',
      'Temperature now',
      eachOfHwmon(({ temperature }) => temperature),
    ),
    gauge(
      'node_hwmon_temp_max_celsius',
      'Above this it is too warm',
      eachOfHwmon(({ high }) => high || null),
    ),
    gauge(
      'node_hwmon_temp_crit_celsius',
      'Above this it takes damage or switches off',
      eachOfHwmon(({ critical }) => critical || null),
    ),
    gauge(
      'node_hwmon_fan_rpm',
      'Speed of a fan',
      fans.flatMap(({ key, speed_rpm }) => {
        const labels = elsewhere.get(key);
        return labels === undefined ? [] : [[labels, speed_rpm] as const];
      }),
    ),
    ...(await chipMetrics(files, chips)),
    ...(await thermalMetrics(files)),
    ...(await powerSupplyMetrics(files)),
  ];
}
