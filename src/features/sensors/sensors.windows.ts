import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { WmiValue } from '../../host/windows/com/wmi.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createAbsence } from '../../lib/absence-cache.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Readings, SensorDevice } from './sensors.devices.ts';
import { keyOf, withUniqueKeys } from './sensors.keys.ts';
import type { Fan, Sensors, Temperature } from './sensors.schema.ts';
import { hidLibrary } from './windows/hid.ts';
import { createControllers } from './windows/sensors.controllers.ts';

type Row = Record<string, WmiValue>;

/** The thermal zones of the firmware, and all sensors of LibreHardwareMonitor while it runs: Windows exposes no chips to programs. Otherwise fan controllers are read directly; two readers would disturb each other. Never executed on Windows. */
export const sensorsWindows: CreateSource<Sensors, WindowsHost> = (host) => {
  const wmi = host.nativeElsewhere('wmi');
  /** Querying a missing namespace is slow. */
  const noMonitor = createAbsence<true>(host.clock);
  const monitor = async () => {
    if (noMonitor.known() !== null) return null;
    const note = noMonitor.look();
    const hardware = await wmi.list(namespace, 'Hardware', ['Identifier', 'Name', 'HardwareType', 'Parent']);
    const sensors = await wmi.list(namespace, 'Sensor', ['Identifier', 'Name', 'SensorType', 'Parent', ...numbers]);
    if (hardware === null || sensors === null) {
      note(true);
      return null;
    }
    return { hardware, sensors };
  };
  const controllers = createControllers(() => host.native(hidLibrary), host.clock);
  return {
    async read(reasons) {
      try {
        const zones = (await wmi.list('ROOT\\CIMV2', zoneClass, ['Name', 'HighPrecisionTemperature'])) ?? [];
        const monitored = await monitor();
        if (monitored !== null) controllers.close();
        const own = monitored === null ? await controllers.current().catch(() => []) : [];
        return describeSensors(zones, monitored, reasons, own);
      } catch (error) {
        reasons.missing(null, `WMI could not be queried: ${messageOf(error)}`);
        return { temperatures: [], fans: [], windows_sensors: null };
      }
    },
    close: controllers.close,
  };
};

const namespace = 'ROOT\\LibreHardwareMonitor';
const zoneClass = 'Win32_PerfFormattedData_Counters_ThermalZoneInformation';
const numbers = ['Value', 'Min', 'Max'];

export function describeSensors(
  zones: Row[],
  monitor: { hardware: Row[]; sensors: Row[] } | null,
  reasons: Reasons,
  controllers: Pick<SensorDevice, 'name' | 'read' | 'problem'>[] = [],
): Sensors {
  const asked = controllers.map((device) => ({ device, readings: device.read() }));
  const fromZones = zones.flatMap(({ Name, HighPrecisionTemperature: tenths }): Temperature[] =>
    typeof tenths !== 'number' || tenths <= 0
      ? []
      : [{ key: keyOf('thermal_zone', String(Name)), temperature: celsius(tenths), high: 0, critical: 0 }],
  );
  const sensors = monitor?.sensors ?? [];
  const of = (type: string) =>
    sensors.filter(({ SensorType, Value }) => SensorType === type && typeof Value === 'number');
  const key = ({ Identifier }: Row) => keyOf(...String(Identifier).split('/'));
  const temperatures = withUniqueKeys([
    ...fromZones,
    ...of('Temperature').map((row) => ({ key: key(row), temperature: Number(row.Value), high: 0, critical: 0 })),
    ...asked.flatMap(({ readings }) =>
      readings.temperatures.flatMap((each) =>
        each.temperature === null ? [] : [{ ...each, temperature: each.temperature }],
      ),
    ),
  ]);
  const nameOf = (parent: WmiValue | undefined) =>
    String(monitor?.hardware.find(({ Identifier }) => Identifier === parent)?.Name ?? parent ?? '');
  const monitoredFans = of('Fan').map(
    (row): Fan => ({
      key: key(row),
      name: nameOf(row.Parent),
      label: String(row.Name ?? ''),
      speed_rpm: Math.max(0, Number(row.Value)),
      speed_min: null,
      speed_max: null,
    }),
  );
  const fans = withUniqueKeys([...monitoredFans, ...asked.flatMap(({ readings }) => readings.fans)]);
  const hardware = [
    ...(zones.length > 0 ? [zoneTree(fromZones)] : []),
    ...treeOf(monitor),
    ...asked.map(({ device, readings }) => controllerTree(device.name, readings)),
  ];
  const refusals = controllers.flatMap((device) => device.problem() ?? []);
  explain(temperatures, fans, monitor !== null, refusals, reasons);
  return { temperatures, fans, windows_sensors: { hardware, nvidia: null } };
}

/** Tenths of a kelvin. */
const celsius = (tenths: number) => Math.round(10 * (tenths / 10 - 273.15)) / 10;

const leaf = (name: string, type: string, value: number | null) => ({ name, type, value, min: value, max: value });

const zoneTree = (zones: Temperature[]) => ({
  name: 'ACPI thermal zones',
  type: 'Firmware',
  sensors: zones.map(({ key, temperature }) => leaf(key, 'Temperature', temperature)),
});

const controllerTree = (name: string, { temperatures, fans }: Readings) => ({
  name,
  type: 'Cooler',
  sensors: [
    ...temperatures.map(({ key, temperature }) => leaf(key, 'Temperature', temperature)),
    ...fans.map(({ label, speed_rpm }) => leaf(label, 'Fan', speed_rpm)),
  ],
});

/** In the form that existing clients read: hardware with its sensors, and with its sub-hardware. */
function treeOf(monitor: { hardware: Row[]; sensors: Row[] } | null): unknown[] {
  if (monitor === null) return [];
  const known = new Set(monitor.hardware.map(({ Identifier }) => Identifier));
  const branch = (row: Row, depth: number): unknown => ({
    name: row.Name,
    type: row.HardwareType,
    sensors: monitor.sensors
      .filter(({ Parent }) => Parent === row.Identifier)
      .map(({ Name, SensorType, Value, Min, Max }) => ({
        name: Name,
        type: SensorType,
        value: Value,
        min: Min,
        max: Max,
      })),
    subhardware:
      depth > 4
        ? []
        : monitor.hardware.filter(({ Parent }) => Parent === row.Identifier).map((part) => branch(part, depth + 1)),
  });
  return monitor.hardware.filter(({ Parent }) => !known.has(Parent ?? null)).map((row) => branch(row, 0));
}

const install =
  'Windows exposes no chips and fans to programs; LibreHardwareMonitor does, while it runs as administrator';

function explain(
  temperatures: Temperature[],
  fans: Fan[],
  hasMonitor: boolean,
  refusals: string[],
  reasons: Reasons,
): void {
  reasons.inherent('windows_sensors.nvidia', 'The module gpus has the values of the NVIDIA driver');
  reasons.inherent('windows_sensors.hardware', 'A value that its sensor does not report is null');
  if (!hasMonitor && temperatures.length === 0) reasons.missing('temperatures', install);
  if (!hasMonitor && fans.length === 0) reasons.missing('fans', refusals[0] ?? install);
  if (fans.length > 0)
    for (const limit of ['speed_min', 'speed_max'])
      reasons.inherent(`fans[].${limit}`, 'This limit is not reported on Windows');
}
