import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { readOnce, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { cpuLinux } from './cpu.linux.ts';
import { cpu } from './cpu.ts';

testEachMachine('linux', import.meta.dirname, cpu.module, cpuLinux);

test('cores with different frequency data have a reason for each null', async () => {
  const files = machineFiles({
    '/proc/stat': 'cpu  9 0 0 9\ncpu0 5 0 0 5\ncpu1 4 0 0 4\nintr 1\nctxt 1\nsoftirq 1\n',
    '/proc/cpuinfo': 'processor\t: 0\ncpu MHz\t\t: 2400.000\n\nprocessor\t: 1\n\n',
  });
  const host = fakeHost({ files });
  const { payload, reasons } = await readOnce(cpuLinux(host, fakeContext()), host.clock);
  expect(payload?.per_cpu.map(({ frequency }) => frequency.current)).toEqual([2400, null]);
  expect(unexplained(payload, reasons)).toEqual([]);
});

test('energy counters of a driver that is loaded later are found, also when the temperature is already known', async () => {
  const chip = '/sys/class/hwmon/hwmon0';
  const zone = '/sys/class/powercap/intel-rapl:0';
  const files = machineFiles({
    '/proc/cpuinfo': 'processor\t: 0\nvendor_id\t: GenuineIntel\n\n',
    [`${chip}/name`]: 'coretemp\n',
    [`${chip}/temp1_input`]: '50000\n',
  });
  const host = fakeHost({ files });
  const source = cpuLinux(host, fakeContext());
  const read = async () => (await readOnce(source, host.clock)).payload;
  expect(await read()).toMatchObject({ temperature: 50, power: null });
  files.write(`${zone}/name`, 'package-0\n');
  files.write(`${zone}/max_energy_range_uj`, '1000000000\n');
  files.write(`${zone}/energy_uj`, '0\n');
  host.clock.advance(60_000);
  await read();
  host.clock.advance(1000);
  await read();
  files.write(`${zone}/energy_uj`, '10000000\n');
  host.clock.advance(1000);
  expect(await read()).toMatchObject({ temperature: 50, power: 10 });
  source.close?.();
});
