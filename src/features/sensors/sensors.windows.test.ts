import { expect, test } from 'bun:test';
import { collectReasons, unexplained } from '../../../test/harness/machines.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { VARIANT } from '../../host/windows/com/wmi.structs.ts';
import { variantValue } from '../../host/windows/com/wmi.ts';
import { sensorsSchema } from './sensors.schema.ts';
import { describeSensors } from './sensors.windows.ts';

const zones = [
  { Name: '\\_TZ.THRM', HighPrecisionTemperature: 3182 },
  { Name: 'gone', HighPrecisionTemperature: 0 },
];
const monitor = {
  hardware: [
    { Identifier: '/motherboard', Name: 'Board X', HardwareType: 'Motherboard', Parent: '' },
    { Identifier: '/lpc/nct6798d', Name: 'Nuvoton', HardwareType: 'SuperIO', Parent: '/motherboard' },
  ],
  sensors: [
    {
      Identifier: '/lpc/nct6798d/fan/1',
      Name: 'CPU Fan',
      SensorType: 'Fan',
      Parent: '/lpc/nct6798d',
      Value: 812.5,
      Min: 700,
      Max: 1200,
    },
    {
      Identifier: '/lpc/nct6798d/temperature/0',
      Name: 'CPU',
      SensorType: 'Temperature',
      Parent: '/lpc/nct6798d',
      Value: 41,
      Min: 30,
      Max: 60,
    },
  ],
};

test('thermal zones, and the sensors of LibreHardwareMonitor', () => {
  const { reasons, collected } = collectReasons();
  const payload = describeSensors(zones, monitor, reasons);
  sensorsSchema.parse(payload);
  expect(payload.temperatures).toEqual([
    { key: 'thermal_zone_tz.thrm', temperature: 45.1, high: 0, critical: 0 },
    { key: 'lpc_nct6798d_temperature_0', temperature: 41, high: 0, critical: 0 },
  ]);
  expect(payload.fans).toMatchObject([{ name: 'Nuvoton', label: 'CPU Fan', speed_rpm: 812.5 }]);
  expect(payload.windows_sensors?.hardware).toMatchObject([
    { name: 'ACPI thermal zones', sensors: [{ type: 'Temperature', value: 45.1 }] },
    {
      name: 'Board X',
      type: 'Motherboard',
      sensors: [],
      subhardware: [
        { name: 'Nuvoton', sensors: [{ name: 'CPU Fan', type: 'Fan', value: 812.5, min: 700, max: 1200 }, {}] },
      ],
    },
  ]);
  expect(unexplained(payload, collected)).toEqual([]);
});

test('without either source the reason names a remedy', () => {
  const { reasons, collected } = collectReasons();
  const payload = describeSensors([], null, reasons);
  expect(payload).toEqual({ temperatures: [], fans: [], windows_sensors: { hardware: [], nvidia: null } });
  expect(collected.filter(({ mendable }) => mendable).map(({ field }) => field)).toEqual(['temperatures', 'fans']);
  expect(unexplained(payload, collected)).toEqual([]);
});

test('fan controllers are read beside the other sensors, and an inaccessible one is reported', () => {
  const { reasons, collected } = collectReasons();
  const limits = { speed_min: null, speed_max: null };
  const cooler = {
    name: 'NZXT Kraken X3',
    read: () => ({
      temperatures: [{ key: 'kraken_liquid', temperature: 33.1, high: 0, critical: 0 }],
      fans: [{ key: 'kraken_pump', name: 'NZXT Kraken X3', label: 'Pump', speed_rpm: 1704, ...limits }],
    }),
    problem: () => null,
  };
  const payload = describeSensors([], null, reasons, [cooler]);
  expect(payload.temperatures.map(({ temperature }) => temperature)).toEqual([33.1]);
  expect(payload.fans.map(({ speed_rpm: speed }) => speed)).toEqual([1704]);
  expect(payload.windows_sensors).toMatchObject({ hardware: [{ name: 'NZXT Kraken X3', type: 'Cooler' }] });
  expect(unexplained(payload, collected)).toEqual([]);
  const refused = collectReasons();
  const silent = { ...cooler, read: () => ({ temperatures: [], fans: [] }), problem: () => 'Not for you' };
  describeSensors([], null, refused.reasons, [silent]);
  expect(refused.collected.find(({ field }) => field === 'fans')?.reason).toBe('Not for you');
});

test('WMI values of every kind', () => {
  const bytes = (vt: number, lVal: number) => structBytes(VARIANT, { vt, lVal });
  const float = bytes(4, 0);
  new DataView(float.buffer).setFloat32(8, 1.5, true);
  const text = (place: number) => `at ${place}`;
  expect(
    [bytes(0, 1), bytes(1, 1), bytes(3, -7), bytes(8, 64), bytes(11, 0xffff), float].map((value) =>
      variantValue(value, text),
    ),
  ).toEqual([null, null, -7, 'at 64', true, 1.5]);
});
