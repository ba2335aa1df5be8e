import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { type MachineFiles, machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import type { Files } from '../../../host/linux/files.ts';
import { atOnce } from '../../../lib/slices.ts';
import { createCpuPowerMeter } from './cpu.power.ts';
import { findCpuSensors } from './cpu.sensors.ts';

const zone = (name: string, at: string, energy: number, range = 1_000_000_000) => ({
  [`/sys/class/powercap/${at}/name`]: `${name}\n`,
  [`/sys/class/powercap/${at}/energy_uj`]: `${energy}\n`,
  [`/sys/class/powercap/${at}/max_energy_range_uj`]: `${range}\n`,
});

/** Measures over half a second in which the test changes the counters. */
function measure(files: Files, meanwhile: () => void, expected = false) {
  const host = fakeHost({ files, environment: { userName: 'ada' } });
  const meter = createCpuPowerMeter(host, atOnce(findCpuSensors(files)), expected);
  const before = meter.sample();
  meanwhile();
  const { reasons, collected } = collectReasons();
  const { total, cores } = meter.between(before, meter.sample(), 0.5, reasons);
  meter.close();
  return { total, cores: [...cores], reasons: collected };
}

const count = (files: MachineFiles, at: string, energy: number) =>
  files.write(`/sys/class/powercap/${at}/energy_uj`, `${energy}\n`);

test('all packages and dies count; parts of a package and the platform do not', () => {
  const files = machineFiles({
    ...zone('package-0-die-0', 'intel-rapl:0', 0),
    ...zone('package-0-die-1', 'intel-rapl:1', 0),
    ...zone('core', 'intel-rapl:0:0', 0),
    ...zone('dram', 'intel-rapl:0:1', 0),
    ...zone('psys', 'intel-rapl:2', 0),
  });
  const { total, reasons } = measure(files, () => {
    count(files, 'intel-rapl:0', 5_000_000);
    count(files, 'intel-rapl:1', 2_500_000);
    for (const other of ['intel-rapl:0:0', 'intel-rapl:0:1', 'intel-rapl:2']) count(files, other, 1_000_000);
  });
  expect({ total, reasons }).toEqual({ total: 15, reasons: [] });
});

test('a package with two counters counts once', () => {
  const files = machineFiles({ ...zone('package-0', 'intel-rapl:0', 0), ...zone('package-0', 'intel-rapl-mmio:0', 0) });
  const meanwhile = () => {
    count(files, 'intel-rapl:0', 5_000_000);
    count(files, 'intel-rapl-mmio:0', 5_000_001);
  };
  expect(measure(files, meanwhile).total).toBe(10);
});

test('the memory-mapped counters count if they are the only ones', () => {
  const files = machineFiles(zone('package-0', 'intel-rapl-mmio:0', 0));
  expect(measure(files, () => count(files, 'intel-rapl-mmio:0', 1_000_000)).total).toBe(2);
});

test('a counter that restarted after a sleep gives no value', () => {
  const files = machineFiles(zone('package-0', 'intel-rapl:0', 200_000_000_000, 262_143_328_850));
  const { total, reasons } = measure(files, () => count(files, 'intel-rapl:0', 1000));
  expect(total).toBeNull();
  expect(reasons).toEqual([
    { field: 'power', mendable: true, reason: expect.stringContaining('cannot be read at the moment') },
  ]);
});

test('counters that only root may read give a tmpfiles line that opens them, with one pattern', () => {
  const files = machineFiles({ ...zone('package-0', 'intel-rapl:0', 0), ...zone('package-1', 'intel-rapl:1', 0) });
  const nothing = { number: () => null, text: () => null, close: () => {} };
  const { total, reasons } = measure({ ...files, denied: () => true, keep: () => nothing }, () => {});
  expect(total).toBeNull();
  expect(reasons[0]?.reason).toContain('"z /sys/class/powercap/intel-rapl:*/energy_uj 0440 root ada"');
});

test("AMD's own driver counts sockets and cores", () => {
  const chip = '/sys/class/hwmon/hwmon4';
  const energy = (channel: number, value: number) => files.write(`${chip}/energy${channel}_input`, `${value}\n`);
  const files = machineFiles({
    [`${chip}/name`]: 'amd_energy\n',
    [`${chip}/energy1_label`]: 'Ecore000\n',
    [`${chip}/energy2_label`]: 'Ecore001\n',
    [`${chip}/energy3_label`]: 'Esocket0\n',
  });
  for (const channel of [1, 2, 3]) energy(channel, 1_000_000);
  const { total, cores } = measure(files, () => {
    energy(1, 1_250_000);
    energy(2, 2_000_000);
    energy(3, 11_000_000);
  });
  expect(total).toBe(20);
  expect(cores).toEqual([
    [0, 0.5],
    [1, 2],
  ]);
});

test('zenpower reports the power itself', () => {
  const chip = '/sys/class/hwmon/hwmon4';
  const files = machineFiles({
    [`${chip}/name`]: 'zenpower\n',
    [`${chip}/power1_label`]: 'SVI2_P_Core\n',
    [`${chip}/power1_input`]: '21500000\n',
    [`${chip}/power2_label`]: 'SVI2_P_SoC\n',
    [`${chip}/power2_input`]: '6250000\n',
  });
  expect(measure(files, () => {}).total).toBe(27.75);
});

test.each([
  [true, true, 'modprobe intel_rapl_msr'],
  [false, false, 'virtual machines'],
])('without any counter, where one is expected (%p), mendable is %p', (expected, mendable, sentence) => {
  const { total, reasons } = measure(machineFiles({}), () => {}, expected);
  expect(total).toBeNull();
  expect(reasons).toEqual([{ field: 'power', mendable, reason: expect.stringContaining(sentence) }]);
});
