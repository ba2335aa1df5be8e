import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeContext, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { readOnce } from '../../../../test/harness/machines.ts';
import { sensorsLinux } from '../sensors.linux.ts';

/** A machine whose chips can be plugged in and out. */
function machine() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-sensors-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const host = fakeHost({ root });
  const source = sensorsLinux(host, fakeContext());
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), `${text}\n`);
  };
  const link = (number: number) => path.join(root, `sys/class/hwmon/hwmon${number}`);
  return {
    clock: host.clock,
    source,
    write,
    plug(number: number, device: string, name: string, celsius: number) {
      const place = `sys/devices/${device}/hwmon/hwmon${number}`;
      write(`${place}/name`, name);
      write(`${place}/temp1_input`, String(celsius * 1000));
      fs.mkdirSync(path.dirname(link(number)), { recursive: true });
      fs.symlinkSync(`../../devices/${device}/hwmon/hwmon${number}`, link(number));
      return place;
    },
    unplug: (number: number) => fs.rmSync(link(number)),
    async read() {
      const { payload } = await readOnce(source, host.clock);
      return Object.fromEntries((payload?.temperatures ?? []).map(({ key, temperature }) => [key, temperature]));
    },
  };
}

test('added and removed chips are noticed within ten seconds, and keep their keys whatever their number', async () => {
  const { plug, unplug, read, clock, source } = machine();
  plug(0, 'pci0000:00/0000:01:00.0', 'nvme', 30);
  expect(await read()).toEqual({ 'nvme_0000:01:00.0_temp1': 30 });
  plug(1, 'pci0000:00/0000:02:00.0', 'nvme', 35);
  clock.advance(10_000);
  expect(await read()).toEqual({ 'nvme_0000:01:00.0_temp1': 30, 'nvme_0000:02:00.0_temp1': 35 });
  unplug(0);
  unplug(1);
  plug(0, 'pci0000:00/0000:02:00.0', 'nvme', 36);
  clock.advance(10_000);
  expect(await read()).toEqual({ 'nvme_0000:02:00.0_temp1': 36 });
  source.close?.();
});

test('values are read each time, also between two searches', async () => {
  const { plug, write, read, clock, source } = machine();
  const place = plug(0, 'platform/coretemp.0', 'coretemp', 40);
  expect(await read()).toEqual({ 'coretemp_coretemp.0_temp1': 40 });
  for (const celsius of [41, 42.5, 90]) {
    write(`${place}/temp1_input`, String(celsius * 1000));
    clock.advance(2000);
    expect(await read()).toEqual({ 'coretemp_coretemp.0_temp1': celsius });
  }
  source.close?.();
});

test('a sleeping card is not read, and its values return when it is used', async () => {
  const { plug, write, read, clock, source } = machine();
  const place = plug(0, 'pci0000:00/0000:0a:00.0', 'amdgpu', 44);
  write(`${place}/device/power/runtime_status`, 'suspended');
  expect(await read()).toEqual({});
  write(`${place}/device/power/runtime_status`, 'active');
  clock.advance(2000);
  await read();
  clock.advance(2000);
  expect(await read()).toEqual({ 'amdgpu_0000:0a:00.0_temp1': 44 });
  source.close?.();
});

test('of zones with one name, each keeps its key when another gives no value', async () => {
  const { write, read, clock, source } = machine();
  for (const [zone, celsius] of [30, 50].entries()) {
    write(`sys/class/thermal/thermal_zone${zone}/type`, 'acpitz');
    write(`sys/class/thermal/thermal_zone${zone}/temp`, String(celsius * 1000));
  }
  expect(await read()).toEqual({ thermal_acpitz: 30, thermal_acpitz_2: 50 });
  write('sys/class/thermal/thermal_zone0/temp', 'none');
  clock.advance(2000);
  await read();
  clock.advance(2000);
  expect(await read()).toEqual({ thermal_acpitz_2: 50 });
  source.close?.();
});

test('a sleeping chip keeps its key beside another with the same name in the same place', async () => {
  const { plug, write, read, clock, source } = machine();
  const first = plug(0, 'virtual', 'twin', 30);
  plug(1, 'virtual', 'twin', 50);
  write(`${first}/device/power/runtime_status`, 'active');
  expect(await read()).toEqual({ twin_virtual_temp1: 30, twin_virtual_temp1_2: 50 });
  write(`${first}/device/power/runtime_status`, 'suspended');
  clock.advance(2000);
  expect(await read()).toEqual({ twin_virtual_temp1_2: 50 });
  source.close?.();
});

test('a reader once a minute also gets drives, which are read in the background', async () => {
  const { plug, write, read, clock, source } = machine();
  const place = plug(0, 'pci0000:00/0000:01:00.0', 'nvme', 30);
  expect(await read()).toEqual({ 'nvme_0000:01:00.0_temp1': 30 });
  for (const celsius of [35, 40]) {
    write(`${place}/temp1_input`, String(celsius * 1000));
    clock.advance(60_000);
    expect(await read()).toEqual({ 'nvme_0000:01:00.0_temp1': celsius });
  }
  source.close?.();
});
