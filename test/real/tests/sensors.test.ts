import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import type { CreateSource, Source } from '../../../src/core/module.ts';
import { cpuLinux } from '../../../src/features/cpu/cpu.linux.ts';
import { sensorsLinux } from '../../../src/features/sensors/sensors.linux.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { createFiles } from '../../../src/host/linux/files.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { collectReasons } from '../../harness/machines.ts';
import { needs } from '../harness/parts.ts';
import { hasPsutil, type Psutil, startPsutil } from '../harness/psutil.ts';
import { until } from '../harness/service.ts';

const patienceMs = 90_000;
const possible = process.getuid?.() === 0 && needs('unshare', 'mount', 'sh') && hasPsutil();

/** Chips that this machine does not have, laid over /sys for psutil, and given to us as our /sys. */
const chips: Record<string, Record<string, string | number>> = {
  'platform/coretemp.0': {
    name: 'coretemp',
    temp1_input: 57_000,
    temp1_label: 'Package id 0',
    temp1_max: 100_000,
    temp1_crit: 105_000,
    temp2_input: 54_250,
    temp2_label: 'Core 0',
  },
  'platform/nct6775.656': {
    name: 'nct6798',
    temp1_input: 35_500,
    temp1_label: 'SYSTIN',
    temp1_max: 80_000,
    fan1_input: 0,
    fan2_input: 1187,
    fan2_label: 'CPU Fan',
  },
};

describe.skipIf(!possible)('sensors and frequencies beside psutil', () => {
  let root = '';
  const write = (file: string, value: string | number) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), `${value}\n`);
  };
  const place = (device: string, number: number) => `devices/${device}/hwmon/hwmon${number}`;
  const host = createLinuxHost('6.0.0', startThread);
  const sources: Source<unknown>[] = [];
  const open = <T>(create: CreateSource<T, LinuxHost>): (() => Promise<T>) => {
    const source = create({ ...host, files: createFiles({ sys: root }) }, fakeContext());
    sources.push(source);
    return async () => {
      const payload = await source.read(collectReasons().reasons);
      if (payload === null) throw new Error('there is no payload');
      return payload;
    };
  };
  let psutil: Psutil;

  beforeAll(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-sys-'));
    fs.mkdirSync(path.join(root, 'class/hwmon'), { recursive: true });
    for (const [number, [device, attributes]] of Object.entries(chips).entries()) {
      for (const [name, value] of Object.entries(attributes)) write(`${place(device, number)}/${name}`, value);
      fs.symlinkSync(`../../${place(device, number)}`, path.join(root, `class/hwmon/hwmon${number}`));
    }
    for (const core of [0, 1]) {
      const policy = `devices/system/cpu/cpufreq/policy${core}`;
      write(`${policy}/affected_cpus`, core);
      write(`${policy}/scaling_cur_freq`, 1_400_000 + core * 800_000);
      write(`${policy}/scaling_min_freq`, 800_000);
      write(`${policy}/scaling_max_freq`, 3_600_000);
    }
    // Where /proc/cpuinfo has frequencies, as on x86, psutil prefers it to /sys.
    write('cpuinfo', [0, 1].map((core) => `processor : ${core}\n`).join('\n'));
    const overlay =
      'mount -t overlay overlay -o "lowerdir=$0:/sys" /sys && mount --bind "$0/cpuinfo" /proc/cpuinfo && exec "$@"';
    psutil = startPsutil('unshare', '--mount', 'sh', '-c', overlay, root);
  });
  afterAll(async () => {
    psutil.stop();
    for (const source of sources) source.close?.();
    await host.close();
    fs.rmSync(root, { recursive: true });
  });

  interface Theirs {
    temperatures: Record<string, { label: string; current: number; high: number | null; critical: number | null }[]>;
    fans: Record<string, { label: string; current: number }[]>;
  }
  const theirs = () =>
    psutil.ask<Theirs>('dict(temperatures=psutil.sensors_temperatures(), fans=psutil.sensors_fans())');

  test(
    'temperatures and fans match, also when they change',
    async () => {
      const read = open(sensorsLinux);
      for (const [celsius, rpm] of [
        [57, 1187],
        [91.25, 0],
      ] as const) {
        write(`${place('platform/coretemp.0', 0)}/temp1_input`, celsius * 1000);
        write(`${place('platform/nct6775.656', 1)}/fan2_input`, rpm);
        const expected = await theirs();
        // On a machine that stalls for a moment a chip counts as slow, and is read in the background for a while.
        const { temperatures, fans } = await until(async () => {
          const now = await read();
          const isNew = now.temperatures.some(({ temperature }) => temperature === celsius);
          return isNew && now.fans.some(({ label, speed_rpm }) => label === 'CPU Fan' && speed_rpm === rpm)
            ? now
            : null;
        });
        const flat = Object.values(expected.temperatures).flat();
        expect(temperatures.map(({ temperature }) => temperature).sort()).toEqual(
          flat.map(({ current }) => current).sort(),
        );
        expect(temperatures[0]).toEqual({
          key: 'coretemp_coretemp.0_package_id_0',
          temperature: celsius,
          high: expected.temperatures.coretemp?.[0]?.high ?? -1,
          critical: expected.temperatures.coretemp?.[0]?.critical ?? -1,
        });
        expect(fans.map(({ label, speed_rpm }) => [label, speed_rpm])).toEqual(
          (expected.fans.nct6798 ?? []).map(({ label, current }) => [label, current]),
        );
      }
    },
    patienceMs,
  );

  test(
    'frequencies match, in total and for each core',
    async () => {
      const read = open(cpuLinux);
      await read();
      write(`${place('platform/coretemp.0', 0)}/temp1_input`, 63_500);
      write('devices/system/cpu/cpufreq/policy1/scaling_cur_freq', 3_000_000);
      const expected = await psutil.ask<{ all: Record<string, number>; each: Record<string, number>[] }>(
        'dict(all=psutil.cpu_freq(), each=psutil.cpu_freq(percpu=True))',
      );
      const { frequency, per_cpu, temperature } = await read();
      expect<unknown>(frequency).toEqual(expected.all);
      expect<unknown>(per_cpu.slice(0, 2).map((core) => core.frequency)).toEqual(expected.each);
      expect(temperature).toBe(63.5);
    },
    patienceMs,
  );
});
