import { expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { atOnce } from '../../../lib/slices.ts';
import { createFrequencies, overallFrequency, parseCpuinfoFrequencies } from './cpu.frequency.ts';

const open = (host: LinuxHost) => atOnce(createFrequencies(host));

const cpufreq = '/sys/devices/system/cpu/cpufreq';

function policy(id: number, files: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, value]) => [`${cpufreq}/policy${id}/${name}`, `${value}\n`]),
  );
}

test('cores that share a policy share its frequency, and others have their own', () => {
  const files = machineFiles({
    ...policy(0, {
      affected_cpus: '0 1',
      scaling_cur_freq: 600_000,
      scaling_min_freq: 300_000,
      scaling_max_freq: 1_800_000,
    }),
    ...policy(4, {
      affected_cpus: '4',
      scaling_cur_freq: 2_400_000,
      scaling_min_freq: 400_000,
      scaling_max_freq: 2_400_000,
    }),
  });
  const frequencies = open(fakeHost({ files }));
  const little = { current: 600, min: 300, max: 1800 };
  const big = { current: 2400, min: 400, max: 2400 };
  expect([...frequencies.read()]).toEqual([
    [0, little],
    [1, little],
    [4, big],
  ]);
  expect(overallFrequency([little, little, big])).toEqual({ current: 1200, min: 300, max: 2400 });
  frequencies.close();
});

test('the current frequency is read each time, the limits at intervals', () => {
  const files = machineFiles(policy(0, { affected_cpus: 0, scaling_cur_freq: 1_000_000, scaling_max_freq: 3_000_000 }));
  const clock = fakeClock();
  const frequencies = open(fakeHost({ files, clock }));
  const write = (contents: Record<string, string>) => {
    for (const [file, text] of Object.entries(contents)) files.write(file, text);
  };
  write(policy(0, { scaling_cur_freq: 2_000_000, scaling_max_freq: 2_500_000 }));
  expect(frequencies.read().get(0)).toEqual({ current: 2000, min: null, max: 3000 });
  for (let round = 0; round < 15; round += 1) frequencies.read();
  expect(frequencies.read().get(0)).toEqual({ current: 2000, min: null, max: 2500 });
  frequencies.close();
});

test('a kernel that sleeps in every read delays one read; then reads run in the background', async () => {
  const clock = fakeClock();
  const files = machineFiles({
    ...policy(0, { affected_cpus: 0, scaling_cur_freq: 1_000_000 }),
    ...policy(1, { affected_cpus: 1, scaling_cur_freq: 2_000_000 }),
    '/proc/cpuinfo': 'processor\t: 0\ncpu MHz\t\t: 800.5\n\nprocessor\t: 1\ncpu MHz\t\t: 900.5\n\n',
  });
  let sleeps = 10;
  const sleeping: Files = {
    ...files,
    keep(path) {
      const file = files.keep(path);
      const number = () => {
        clock.advance(sleeps);
        return file.number();
      };
      return { ...file, number };
    },
    async textLater(path) {
      await Promise.resolve();
      clock.advance(sleeps);
      return files.textLater(path);
    },
  };
  const frequencies = open(fakeHost({ files: sleeping, clock }));
  const read = () => {
    const from = clock.monotonic();
    const current = [...frequencies.read().values()].map((frequency) => frequency.current);
    return { current, heldUp: clock.monotonic() - from };
  };
  expect(read()).toEqual({ current: [1000, 900.5], heldUp: 10 });
  await until(() => {
    const { current, heldUp } = read();
    expect(heldUp).toBe(0);
    return current[1] === 2000;
  }, 'the frequency of the second core');
  // One slow read does not make a slow kernel.
  sleeps = 0;
  await until(() => {
    files.write(`${cpufreq}/policy1/scaling_cur_freq`, '2200000\n');
    const before = read().current[1];
    files.write(`${cpufreq}/policy1/scaling_cur_freq`, '2300000\n');
    return before === 2200 && read().current[1] === 2300;
  }, 'synchronous reads');
  frequencies.close();
});

test.each<[string, string, [number, number][]]>([
  [
    'x86',
    'processor\t: 0\ncpu MHz\t\t: 2099.998\n\nprocessor\t: 3\ncpu MHz\t\t: 800.000\n',
    [
      [0, 2099.998],
      [3, 800],
    ],
  ],
  ['Power', 'processor\t: 0\nclock\t\t: 2300.000000MHz\n', [[0, 2300]]],
  ['ARM, which has none', 'processor\t: 0\nBogoMIPS\t: 108.00\n', []],
])('frequencies of /proc/cpuinfo: %s', (_kind, cpuinfo, expected) => {
  const frequencies = parseCpuinfoFrequencies(cpuinfo);
  expect([...frequencies].map(([id, { current }]) => [id, current])).toEqual(expected);
});
