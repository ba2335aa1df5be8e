import { expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import type { Files } from '../../../host/linux/files.ts';
import { createSystemPowerMeter } from './system.power.ts';

const psys = '/sys/class/powercap/intel-rapl:1';
const battery = (status: string, microwatts: number) =>
  `POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=${status}\nPOWER_SUPPLY_POWER_NOW=${microwatts}\n`;

function meter(files: Files) {
  const clock = fakeClock();
  const read = createSystemPowerMeter(fakeHost({ files, clock, environment: { userName: 'ada' } }));
  /** `meanwhile` runs while the meter waits. */
  const measure = async (meanwhile: () => void = () => {}) => {
    const { reasons, collected } = collectReasons();
    const reading = read(reasons);
    await Promise.resolve();
    meanwhile();
    const waited = clock.advanceToNext();
    return { watts: await reading, waited, reasons: collected };
  };
  return { measure, clock };
}

test('the power meter of the machine comes first, its average before its current value', async () => {
  const files = machineFiles({
    '/sys/class/hwmon/hwmon3/name': 'power_meter\n',
    '/sys/class/hwmon/hwmon3/power1_average': '186000000\n',
    '/sys/class/hwmon/hwmon3/power1_input': '1000000\n',
    '/sys/class/power_supply/BAT0/uevent': battery('Discharging', 5_000_000),
  });
  expect(await meter(files).measure()).toEqual({ watts: 186, waited: false, reasons: [] });
});

test('all batteries that feed the machine count; those of a mouse or on charge do not', async () => {
  const files = machineFiles({
    '/sys/class/power_supply/BAT0/uevent': battery('Discharging', 5_000_000),
    '/sys/class/power_supply/BAT1/uevent': battery('Discharging', 2_500_000),
    '/sys/class/power_supply/BAT2/uevent': battery('Charging', 30_000_000),
    '/sys/class/power_supply/hid-mouse/uevent': `${battery('Discharging', 1_000_000)}POWER_SUPPLY_SCOPE=Device\n`,
  });
  expect((await meter(files).measure()).watts).toBe(7.5);
});

test('the platform energy counter is read twice, 100 ms apart, and over 35 s at most', async () => {
  const files = machineFiles({
    '/sys/class/power_supply/BAT0/uevent': battery('Charging', 30_000_000),
    [`${psys}/name`]: 'psys\n',
    [`${psys}/energy_uj`]: '1000000\n',
    [`${psys}/max_energy_range_uj`]: '10000000\n',
  });
  const { measure, clock } = meter(files);
  const count = (microjoules: number) => files.write(`${psys}/energy_uj`, `${microjoules}\n`);
  expect(await measure(() => count(2_000_000))).toEqual({ watts: 10, waited: true, reasons: [] });
  clock.advance(2000);
  count(9_000_000);
  expect(await measure()).toEqual({ watts: 3.5, waited: false, reasons: [] });
  // The counter wraps at its range.
  clock.advance(1000);
  count(1_000_000);
  expect((await measure()).watts).toBe(2);
  clock.advance(35_001);
  expect(await measure(() => count(1_500_000))).toEqual({ watts: 5, waited: true, reasons: [] });
});

test('a counter that only root may read gives the line that opens it', async () => {
  const files = machineFiles({ [`${psys}/name`]: 'psys\n', [`${psys}/energy_uj`]: '1\n' });
  const { watts, reasons } = await meter({ ...files, denied: (file) => file === `${psys}/energy_uj` }).measure();
  expect(watts).toBeNull();
  expect(reasons).toEqual([
    { field: 'power_usage', mendable: true, reason: expect.stringContaining(`"z ${psys}/energy_uj 0440 root ada"`) },
  ]);
});

test.each<[string, Record<string, string>, string]>([
  ['no meter', {}, 'no power meter and no battery'],
  ['a battery on charge', { '/sys/class/power_supply/BAT0/uevent': battery('Full', 0) }, 'not running on battery'],
  [
    'a battery that reports 0',
    { '/sys/class/power_supply/BAT0/uevent': battery('Discharging', 0) },
    'not running on battery',
  ],
  ['only the processor', { '/sys/class/powercap/intel-rapl:0/name': 'package-0\n' }, 'Only the processor'],
])('%s leaves the power unknown, with an inherent reason', async (_case, contents, sentence) => {
  const { watts, reasons } = await meter(machineFiles(contents)).measure();
  expect(watts).toBeNull();
  expect(reasons).toEqual([{ field: 'power_usage', mendable: false, reason: expect.stringContaining(sentence) }]);
});

test('a meter whose driver is loaded later is found within seconds', async () => {
  const files = machineFiles({ '/sys/class/hwmon/hwmon0/name': 'nvme\n' });
  const { measure, clock } = meter(files);
  expect((await measure()).watts).toBeNull();
  files.write('/sys/class/hwmon/hwmon1/name', 'power_meter\n');
  files.write('/sys/class/hwmon/hwmon1/power1_average', '42000000\n');
  clock.advance(5000);
  expect((await measure()).watts).toBe(42);
});
