import { gauge, type Metric, metricsOfEach } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { hasPowerSupplies, powerSuppliesLater } from '../../../host/linux/hardware/power-supply.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';
import type { Sensors } from '../sensors.schema.ts';
import { chipMetrics, exportedChips } from './sensors.chip-metrics.ts';

/** The sensors of the kernel with the names of node_exporter. */
export async function sensorsMetricsLinux(
  { files }: Pick<LinuxHost, 'files'>,
  { temperatures, fans }: Pick<Sensors, 'temperatures' | 'fans'>,
): Promise<Metric[]> {
  const chips = exportedChips(files);
  const elsewhere = new Map(
    chips.flatMap(({ label, channels }) => channels.map(({ key, sensor }) => [key, { chip: label, sensor }])),
  );
  const exported = <T extends { key: string }>(entries: readonly T[]) =>
    entries.flatMap((entry) => {
      const labels = elsewhere.get(entry.key);
      return labels === undefined ? [] : [[labels, entry] as const];
    });
  return [
    ...metricsOfEach('gauge', exported(temperatures), [
      ['node_hwmon_temp_celsius', 'Temperature now', ({ temperature }) => temperature],
      ['node_hwmon_temp_max_celsius', 'Above this it is too warm', ({ high }) => high || null],
      [
        'node_hwmon_temp_crit_celsius',
        'Above this it takes damage or switches off',
        ({ critical }) => critical || null,
      ],
    ]),
    ...metricsOfEach('gauge', exported(fans), [['node_hwmon_fan_rpm', 'Speed of a fan', ({ speed_rpm }) => speed_rpm]]),
    ...(await chipMetrics(files, chips)),
    ...(await thermalMetrics(files)),
    ...(await powerSupplyMetrics(files)),
  ];
}

/** The driver's name, our suffix of node_power_supply_, and the divisor of its unit. */
const values = [
  ['ONLINE', 'online', 1, 'Whether it feeds the machine'],
  ['PRESENT', 'present', 1, 'Whether it is there'],
  ['CAPACITY', 'capacity', 1, 'Charge, 0-100'],
  ['CYCLE_COUNT', 'cyclecount', 1, 'Times it was charged'],
  ['CURRENT_NOW', 'current_ampere', 1e6, 'Current'],
  ['VOLTAGE_NOW', 'voltage_volt', 1e6, 'Voltage'],
  ['VOLTAGE_MIN_DESIGN', 'voltage_min_design', 1e6, 'Voltage it is made for at least'],
  ['POWER_NOW', 'power_watt', 1e6, 'Power'],
  ['ENERGY_NOW', 'energy_watthour', 1e6, 'Energy in it'],
  ['ENERGY_FULL', 'energy_full', 1e6, 'Energy in it when it is full, Wh'],
  ['ENERGY_FULL_DESIGN', 'energy_full_design', 1e6, 'Energy it is made for, Wh'],
  ['CHARGE_NOW', 'charge_ampere', 1e6, 'Charge in it, Ah'],
  ['CHARGE_FULL', 'charge_full', 1e6, 'Charge in it when it is full, Ah'],
  ['CHARGE_FULL_DESIGN', 'charge_full_design', 1e6, 'Charge it is made for, Ah'],
] as const;

/** Without the serial number, which stays with the machine. */
const facts = ['CAPACITY_LEVEL', 'HEALTH', 'MANUFACTURER', 'MODEL_NAME', 'SCOPE', 'STATUS', 'TECHNOLOGY', 'TYPE'];

/** Mains, batteries and those of attached devices, individually. */
async function powerSupplyMetrics(files: Files): Promise<Metric[]> {
  if (!hasPowerSupplies(files)) return [];
  const supplies = await powerSuppliesLater(files);
  const nameOf = (supply: Map<string, string>) => supply.get('NAME') ?? '';
  const numbers = metricsOfEach(
    'gauge',
    supplies.map((supply) => [{ power_supply: nameOf(supply) }, supply]),
    values.map(([field, name, unit, help]) => [
      `node_power_supply_${name}`,
      help,
      (supply) => {
        const value = Number(supply.get(field) || Number.NaN);
        return Number.isFinite(value) ? value / unit : null;
      },
    ]),
  );
  const described = supplies.map((supply) => {
    const known = facts.flatMap((fact) => {
      const text = supply.get(fact)?.trim() ?? '';
      return text === '' ? [] : [[fact.toLowerCase(), text] as const];
    });
    return [{ power_supply: nameOf(supply), ...Object.fromEntries(known) }, 1] as const;
  });
  return [...numbers, gauge('node_power_supply_info', 'What a power supply is', described)];
}

const directory = '/sys/class/thermal';

/** Thermal zones and cooling devices. https://docs.kernel.org/driver-api/thermal/sysfs-api.html */
async function thermalMetrics(files: Files): Promise<Metric[]> {
  const names = files.list(directory);
  const number = async (name: string, file: string) => numberIn(await files.textLater(`${directory}/${name}/${file}`));
  const type = (name: string) => files.text(`${directory}/${name}/type`)?.trim() ?? '';
  const numbered = (prefix: string, label: string) =>
    names.flatMap((name) => {
      const number = new RegExp(`^${prefix}(\\d+)$`).exec(name)?.[1];
      return number === undefined ? [] : [{ name, labels: { [label]: number, type: type(name) } }];
    });
  const zones = numbered('thermal_zone', 'zone');
  const coolers = numbered('cooling_device', 'name');
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
