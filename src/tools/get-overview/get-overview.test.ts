import { describe, expect, test } from 'bun:test';
import { toolContext } from '../../../test/harness/tool-context.ts';
import { getOverview } from './get-overview.ts';
import { warningsOf } from './warnings.ts';

async function overview(payloads: Record<string, unknown>, states: Parameters<typeof toolContext>[1] = []) {
  const output = await getOverview.run({}, toolContext(payloads, states).context);
  expect((await getOverview.output()).parse(output)).toEqual(output);
  return output;
}

const usage = (percent: number) => ({ total: 100e9, used: percent * 1e9, free: (100 - percent) * 1e9, percent });
const mounted = (mount_point: string, percent: number, category = 'primary') => ({
  mount_point,
  category,
  usage: usage(percent),
});

test('the overview of a machine', async () => {
  const seen = await overview({
    system: { hostname: 'desk', platform: 'Debian', platform_version: '12', uptime: 60.7, pending_reboot: true },
    cpu: { usage: 12.34, count: 8, load_average: 0.123, temperature: 51.06 },
    memory: { virtual: { percent: 42.42, available: 9.3e9, total: 16e9 }, swap: { percent: 0 } },
    battery: { percentage: 80.4, is_charging: false, time_remaining: 5400 },
    disks: {
      devices: [
        {
          name: 'sda',
          health: { passed: false, critical_warnings: [] },
          partitions: [mounted('/', 50), mounted('/data', 95), mounted('/snap', 100, 'squashfs')],
        },
      ],
      arrays: [],
    },
    processes: [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, name: `p${id}`, cpu_usage: id, memory_usage: 1 })),
  });
  expect(seen).toMatchObject({
    hostname: 'desk',
    platform: 'Debian 12',
    uptime_s: 61,
    cpu: { usage_percent: 12.3, cores: 8, load_1m: 0.12, temperature_c: 51.1 },
    memory: { used_percent: 42.4, available_gb: 9.3, total_gb: 16, swap_used_percent: 0 },
    battery: { percent: 80, charging: false, minutes_left: 90 },
    disks: [
      { mount: '/data', used_percent: 95, free_gb: 5, total_gb: 100 },
      { mount: '/', used_percent: 50, free_gb: 50, total_gb: 100 },
    ],
    pending_reboot: true,
    failed_units: [],
    warnings: [
      'Drive sda is failing',
      'The disk at "/data" is 95 % full; 5 GB free',
      'A restart would complete an update',
    ],
    unavailable: [],
  });
  expect(seen.top_processes.map(({ pid }) => pid)).toEqual([7, 6, 5, 4, 3]);
});

test('a machine without any module still has an overview', async () => {
  const seen = await overview({}, [
    { name: 'cpu', availability: 'unavailable', reasons: [{ field: null, reason: 'no /proc', mendable: true }] },
    { name: 'gpus', availability: 'degraded' },
  ]);
  expect(seen).toMatchObject({ hostname: null, cpu: null, memory: null, disks: [], top_processes: [], warnings: [] });
  expect(seen).not.toHaveProperty('battery');
  expect(seen.unavailable).toEqual([{ module: 'cpu', reason: 'no /proc' }]);
  expect(seen.why_null).toContainEqual({ fields: ['cpu'], reason: 'cpu has no data: see unavailable' });
  expect(seen.why_null).toContainEqual({
    fields: ['memory'],
    reason: 'The module memory is not available here: the test has none',
  });
});

test('a machine without a battery has none in its overview', async () => {
  expect(await overview({ battery: { percentage: null, is_charging: null, time_remaining: null } })).not.toHaveProperty(
    'battery',
  );
});

test('the overview contains the current media, if any', async () => {
  const media = { title: 'Song', artist: 'Band', status: 'PLAYING' };
  expect((await overview({ media })).playing).toEqual({ title: 'Song', artist: 'Band', status: 'PLAYING' });
  expect(await overview({ media: { ...media, title: null } })).not.toHaveProperty('playing');
});

test('failed units are named, and an unreachable manager has a reason instead', async () => {
  const given = async (units: string[] | null, reasons: string[]) => {
    const { context } = toolContext({});
    return await getOverview.run({}, { ...context, failedUnits: async () => ({ units, reasons }) });
  };
  expect(await given(['nginx.service'], [])).toMatchObject({
    failed_units: ['nginx.service'],
    warnings: ['1 unit has failed'],
  });
  const unknown = await given(null, ['no bus of the system', 'no bus of the user']);
  expect(unknown.failed_units).toBeNull();
  expect(unknown.why_null).toContainEqual({ fields: ['failed_units'], reason: 'no bus of the system' });
  expect((await given([], ['no bus of the user'])).why_null).toContainEqual({
    fields: ['failed_units'],
    reason: 'no bus of the user',
  });
  const many = await given(
    Array.from({ length: 40 }, (_, index) => `unit-${index}.service`),
    [],
  );
  expect([many.failed_units?.length, many.warnings]).toEqual([10, ['40 units have failed']]);
});

test('every null has the reason of its module', async () => {
  const { context } = toolContext({ cpu: { usage: 1, count: 2, load_average: 0, temperature: null }, system: {} });
  const reasons = [{ field: 'temperature', reason: 'no sensor', mendable: false }];
  const read: typeof context.read = async (module) => ({
    ...(await context.read(module)),
    reasons: module === 'cpu' ? reasons : [],
  });
  const seen = await getOverview.run({}, { ...context, read });
  expect(seen.why_null).toContainEqual({ fields: ['cpu.temperature_c'], reason: 'no sensor' });
});

test('the description lists the contents', async () => {
  for (const part of ['CPU', 'memory', 'disks', 'battery', 'what plays', 'processes', 'failed systemd units', 'reboot'])
    expect(getOverview.description).toContain(part);
});

describe('warnings of the overview', () => {
  const fine = {
    cpu: { usage_percent: 10, cores: 1, load_1m: 0, temperature_c: 40 },
    memory: { used_percent: 10, available_gb: 1, total_gb: 1, swap_used_percent: 0 },
    disks: [],
    pending_reboot: false,
    failed: 0,
    trouble: [],
  };
  test.each([
    [{}, []],
    [{ cpu: { ...fine.cpu, usage_percent: 95 } }, ['The processor is 95 % busy']],
    [{ cpu: { ...fine.cpu, temperature_c: 95 } }, ['The processor temperature is 95 °C']],
    [{ memory: { ...fine.memory, used_percent: 95 } }, ['Memory is 95 % used']],
    [{ memory: { ...fine.memory, swap_used_percent: 95 } }, ['Swap is 95 % used']],
    [{ battery: { percent: 10, charging: false, minutes_left: 5 } }, ['The battery has 10 % left and is not charging']],
    [{ battery: { percent: 10, charging: true, minutes_left: 5 } }, []],
    [{ pending_reboot: true }, ['A restart would complete an update']],
    [{ pending_reboot: null }, []],
    [
      { trouble: ['Drive sda is failing', 'RAID array md0 is degraded'] },
      ['Drive sda is failing', 'RAID array md0 is degraded'],
    ],
    [{ failed: 1 }, ['1 unit has failed']],
    [{ failed: 7 }, ['7 units have failed']],
  ])('%j', (facts, expected) => {
    expect(warningsOf({ ...fine, ...facts })).toEqual(expected);
  });
});
