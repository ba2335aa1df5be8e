import { describe, expect, test } from 'bun:test';
import type { ModulePayloads } from '@hostler/client/events.ts';
import fc from 'fast-check';
import { measuringOf, recordedPayloads } from '../../../test/doubles/glances-machines.ts';
import type { Sample } from '../../core/readings/metrics.ts';
import { answerGlances, glancesPlugins } from './glances.ts';
import type { Measurements, Measuring } from './measurements.ts';

/** Any machine: a payload of each module, or none, and how long ago the reading before it was. */
const machine = fc.record({
  seconds: fc.integer({ min: 1, max: 600 }),
  payloads: fc.record(
    Object.fromEntries(
      [...recordedPayloads].map(([name, all]) => [name, fc.option(fc.constantFrom(...all), { freq: 6 })]),
    ),
  ),
});

const at = () => Date.UTC(2026, 10, 19, 9, 5, 7);
// biome-ignore lint/suspicious/noExplicitAny: JSON of another program's API.
type Answered = Record<string, any>;
const all = async (measuring: Measuring, version: 3 | 4) =>
  (await answerGlances('all', version, measuring, at)) as Answered;

describe('values agree with the modules', () => {
  const eachMachine = (
    check: (payloads: Partial<ModulePayloads>, made: Answered, seconds: number, version: 3 | 4) => void,
  ) =>
    fc.assert(
      fc.asyncProperty(machine, fc.constantFrom(3 as const, 4 as const), async ({ payloads, seconds }, version) => {
        check(
          payloads as Partial<ModulePayloads>,
          await all(measuringOf(payloads, seconds), version),
          seconds,
          version,
        );
      }),
      { numRuns: 150 },
    );

  test('processor, memory and processes', () =>
    eachMachine(({ cpu, memory, processes }, made) => {
      if (cpu) {
        expect([made.cpu.total, made.quicklook.cpu, made.cpu.user, made.cpu.cpucore]).toEqual([
          cpu.usage,
          cpu.usage,
          cpu.times_percent.user,
          cpu.count,
        ]);
        const online = cpu.per_cpu.filter(({ usage }) => usage !== null);
        expect(made.percpu.map(({ total }: Answered) => total)).toEqual(online.map(({ usage }) => usage));
      } else expect([made.cpu, made.percpu, made.load]).toEqual([{}, [], {}]);
      if (memory) {
        const { total, available, percent, used } = memory.virtual;
        expect(made.mem).toMatchObject({ total, available, percent, used });
        expect(made.memswap).toMatchObject(memory.swap);
      } else expect([made.mem, made.memswap]).toEqual([{}, {}]);
      if (processes) {
        expect([made.processcount.total, made.processlist.length]).toEqual([processes.length, processes.length]);
        const usages = made.processlist.map(({ cpu_percent }: Answered) => cpu_percent);
        expect(usages).toEqual(processes.map(({ cpu_usage }) => cpu_usage).sort((one, other) => other - one));
      }
    }));

  test('disks, networks and sensors', () =>
    eachMachine(({ disks, networks, sensors }, made, seconds, version) => {
      const partitions = (disks?.devices ?? []).flatMap((device) => device.partitions);
      const shown = partitions.filter(({ category, usage }) => category === 'primary' && usage !== null);
      expect(made.fs.map(({ mnt_point, used }: Answered) => [mnt_point, used])).toEqual(
        shown.map(({ mount_point, usage }) => [mount_point, usage?.used]),
      );
      for (const { name, io_counters } of disks?.devices ?? []) {
        const found = made.diskio.find(({ disk_name }: Answered) => disk_name === name);
        if (io_counters === null) expect(found).toBeUndefined();
        else expect(found.read_bytes).toBe(Math.ceil(io_counters.read_bytes / 2));
        if (found) expect(found.time_since_update).toBe(seconds);
      }
      for (const { name, io, stats } of networks?.networks ?? []) {
        if (io === null) continue;
        const found = made.network.find(({ interface_name }: Answered) => interface_name === name);
        const [counter, grown] = version === 3 ? ['cumulative_rx', 'rx'] : ['bytes_recv_gauge', 'bytes_recv'];
        expect([found[counter], found[grown]]).toEqual([io.bytes_recv, Math.ceil(io.bytes_recv / 2)]);
        expect(found.is_up).toBe(stats.isup);
      }
      const temperatures = made.sensors.filter(({ type }: Answered) => type === 'temperature_core');
      expect(temperatures.map(({ value }: Answered) => value)).toEqual(
        (sensors?.temperatures ?? []).map(({ temperature }) => temperature),
      );
    }));

  test('what clients need is there: Home Assistant, Homarr and Homepage', () =>
    eachMachine((_, made, __, version) => {
      for (const { size, used, percent, mnt_point, device_name, free } of made.fs)
        expect([size, used, percent, free, mnt_point, device_name].map((value) => typeof value)).toEqual([
          ...Array(4).fill('number'),
          ...Array(2).fill('string'),
        ]);
      for (const entry of made.network) {
        expect(entry.time_since_update).toBeGreaterThan(0);
        expect(typeof entry.speed).toBe('number');
        const rates =
          version === 3 ? [entry.rx, entry.tx] : [entry.bytes_recv_rate_per_sec, entry.bytes_sent_rate_per_sec];
        for (const rate of rates) expect(rate).toBeGreaterThanOrEqual(0);
      }
      for (const { time_since_update, read_bytes, write_bytes } of made.diskio)
        expect(Math.min(time_since_update, read_bytes + 1, write_bytes + 1)).toBeGreaterThan(0);
      if (made.processcount.total !== undefined) expect(Object.keys(made.processcount)).toContain('thread');
      if (made.quicklook.cpu !== undefined) expect(typeof made.quicklook.cpu_name).toBe('string');
      for (const { key, ...fields } of [...made.fs, ...made.network, ...made.diskio, ...made.sensors, ...made.gpu])
        expect(['string', 'number']).toContain(typeof fields[key]);
      const labels = made.sensors.map(({ label }: Answered) => label);
      expect(new Set(labels).size).toBe(labels.length);
      if (made.uptime.length > 0) expect(made.uptime).toMatch(/^(?:\d+ days?, )?\d{1,2}:\d\d:\d\d$/);
      expect(version === 3 ? (made.containers.containers ?? []) : made.containers).toBeArray();
    }));
});

describe('paths', () => {
  const payloads = {
    cpu: recordedPayloads.get('cpu')?.find(({ usage }) => usage !== null),
    disks: recordedPayloads.get('disks')?.find(({ devices }) => devices.length > 0),
    processes: recordedPayloads.get('processes')?.find(({ length }) => length > 1),
  };
  const ask = (wanted: string, version: 3 | 4 = 4) => answerGlances(wanted, version, measuringOf(payloads), at);

  test('single values, fields of lists and items by value', async () => {
    const { total } = (await ask('cpu')) as Answered;
    expect(await ask('cpu/total')).toEqual({ total });
    expect(await ask('cpu/total', 3)).toEqual({ total });
    const filesystems = (await ask('fs')) as Answered[];
    expect(await ask('fs/mnt_point')).toEqual({ mnt_point: filesystems.map(({ mnt_point }) => mnt_point) });
    const root = filesystems.filter(({ mnt_point }) => mnt_point === '/');
    expect(root).toHaveLength(1);
    expect(await ask('fs/mnt_point/value//')).toEqual({ '/': root });
    expect((await ask('fs/mnt_point//', 3)) as Answered).toMatchObject({ '/': [{ mnt_point: '/' }] });
    expect(await ask('fs/used/%2F')).toEqual({ used: root[0]?.used });
    expect(await ask('processlist/top/1')).toEqual([((await ask('processlist')) as unknown[])[0]]);
    expect([await ask('network'), await ask('network/bytes_recv')]).toEqual([[], { bytes_recv: [] }]);
  });

  test('the plugins, and what does not exist', async () => {
    expect(await ask('pluginslist')).toEqual([...glancesPlugins.keys()]);
    for (const name of 'quicklook cpu percpu load mem memswap fs diskio network sensors gpu processlist processcount containers system uptime now smart ip alert version'.split(
      ' ',
    ))
      expect([...glancesPlugins.keys()]).toContain(name);
    await expect(ask('nothing')).rejects.toThrow('/api/4/pluginslist lists them');
    await expect(ask('constructor')).rejects.toThrow('There is no plugin');
    await expect(ask('cpu/constructor')).rejects.toThrow('has no "constructor"');
    await expect(ask('fs/mnt_point/nowhere')).rejects.toThrow('has no');
    await expect(ask('fs/%')).rejects.toThrow('percent-encoding');
  });

  test('kinds of processor time and load are those of the metrics', async () => {
    const seconds = (cpu: string, ...values: number[]) =>
      values.map((value, index) => ({ labels: { cpu, mode: ['user', 'iowait', 'idle'][index] ?? '' }, value }));
    const samples = new Map<string, Sample[]>([
      ['node_cpu_seconds', seconds('0', 30, 10, 60)],
      ['node_load15', [{ labels: {}, value: 2 }]],
    ]);
    const { take } = measuringOf(payloads, 5, samples);
    const measuring: Measuring = {
      async take(names) {
        const found = await take(names);
        const zero = { ...found.cpu?.before, samples: new Map([['node_cpu_seconds', seconds('0', 0, 0, 0)]]) };
        return { ...found, cpu: { ...found.cpu, before: zero } } as Measurements;
      },
    };
    expect(await answerGlances('cpu/iowait', 4, measuring, at)).toEqual({ iowait: 10 });
    expect(await answerGlances('load/min15', 4, measuring, at)).toEqual({ min15: 2 });
  });

  test('times are written as Glances writes them', async () => {
    const uptimeOf = (uptime: number) => answerGlances('uptime', 4, measuringOf({ system: { uptime } }), at);
    expect(await Promise.all([59, 86_400 + 3723, 900_000].map(uptimeOf))).toEqual([
      '0:00:59',
      '1 day, 1:02:03',
      '10 days, 10:00:00',
    ]);
    expect((await ask('now')) as Answered).toMatchObject({
      iso: expect.stringMatching(/^2026-11-\d\dT\d\d:\d[05]:07[+-]\d\d:\d\d$/),
    });
  });
});
