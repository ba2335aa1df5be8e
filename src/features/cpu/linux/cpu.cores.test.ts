import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons, readOnce, unexplained } from '../../../../test/harness/machines.ts';
import { cpuLinux, parseCores } from '../cpu.linux.ts';

test.each<[string | null, number[]]>([
  ['0-3,8\n', [0, 1, 2, 3, 8]],
  ['0\n', [0]],
  ['\n', []],
  ['', []],
  [null, []],
  ['(null)\n', []],
])('the core list %j contains %p', (list, ids) => {
  expect(parseCores(list)).toEqual(ids);
});

const system = '/sys/devices/system/cpu';

function machine(ids: number[]) {
  const files = machineFiles({});
  const set = (online: number[], ticks: number) => {
    const line = (name: string) => `${name} ${ticks} 0 0 ${ticks} 0 0 0 0 0 0\n`;
    files.write(
      '/proc/stat',
      `${line('cpu ')}${online.map((id) => line(`cpu${id}`)).join('')}intr 1\nctxt 1\nsoftirq 1\n`,
    );
    files.write(`${system}/present`, '0-3\n');
    files.write(`${system}/offline`, `${[0, 1, 2, 3].filter((id) => !online.includes(id)).join(',')},4-63\n`);
    for (const id of online) {
      files.write(`${system}/cpufreq/policy${id}/affected_cpus`, `${id}\n`);
      files.write(`${system}/cpufreq/policy${id}/scaling_cur_freq`, `${1000 + id}000\n`);
    }
  };
  set(ids, 100);
  const clock = fakeClock();
  const source = cpuLinux(fakeHost({ files, clock }), fakeContext());
  return { set, clock, source };
}

test('a core that is switched off keeps its place and returns to it', async () => {
  const { set, clock, source } = machine([0, 1, 2, 3]);
  const seen = async (online: number[], ticks: number) => {
    clock.advance(1000);
    set(online, ticks);
    const { reasons, collected } = collectReasons();
    const payload = await source.read(reasons);
    expect(unexplained(payload, collected)).toEqual([]);
    return {
      count: payload?.count,
      cores: payload?.per_cpu.map(({ id, usage, frequency }) => [id, usage, frequency.current]),
    };
  };
  await readOnce(source, clock);
  expect(await seen([0, 1, 2, 3], 200)).toEqual({
    count: 4,
    cores: [
      [0, 50, 1000],
      [1, 50, 1001],
      [2, 50, 1002],
      [3, 50, 1003],
    ],
  });
  expect(await seen([0, 2, 3], 300)).toEqual({
    count: 3,
    cores: [
      [0, 50, 1000],
      [1, null, null],
      [2, 50, 1002],
      [3, 50, 1003],
    ],
  });
  // Its times before it was switched off are not part of the last second.
  expect((await seen([0, 1, 2, 3], 400)).cores?.[1]).toEqual([1, null, 1001]);
  expect((await seen([0, 1, 2, 3], 500)).cores?.[1]).toEqual([1, 50, 1001]);
  source.close?.();
});
