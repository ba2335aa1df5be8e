import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';

const directory = '/sys/class/thermal';

/** Thermal zones and cooling devices. https://docs.kernel.org/driver-api/thermal/sysfs-api.html */
export async function thermalMetrics(files: Files): Promise<Metric[]> {
  const names = files.list(directory);
  const number = async (name: string, file: string) => numberIn(await files.textLater(`${directory}/${name}/${file}`));
  const type = (name: string) => files.text(`${directory}/${name}/type`)?.trim() ?? '';
  const zones = names.flatMap((name) => {
    const zone = /^thermal_zone(\d+)$/.exec(name)?.[1];
    return zone === undefined ? [] : [{ name, labels: { zone, type: type(name) } }];
  });
  const coolers = names.flatMap((name) => {
    const cooler = /^cooling_device(\d+)$/.exec(name)?.[1];
    return cooler === undefined ? [] : [{ name, labels: { name: cooler, type: type(name) } }];
  });
  const degrees = zones.map(async ({ name, labels }) => {
    const value = await number(name, 'temp');
    return [labels, value === null ? null : value / 1000] as const;
  });
  const state = (file: string) =>
    Promise.all(coolers.map(async ({ name, labels }) => [labels, await number(name, file)] as const));
  return [
    gauge('node_thermal_zone_temp', 'Temperature of a zone, °C', await Promise.all(degrees)),
    gauge('node_cooling_device_cur_state', 'How much a device cools, or is slowed down', await state('cur_state')),
    gauge('node_cooling_device_max_state', 'How much it can at most', await state('max_state')),
  ];
}
