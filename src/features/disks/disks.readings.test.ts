import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { linesOf } from '../../../test/harness/metric-lines.ts';
import { disksReadings } from './disks.readings.ts';
import type { Device, Disks, Health, StorageArray } from './disks.schema.ts';

const ata: Health = {
  passed: true,
  percentage_used: null,
  power_on_hours: 10,
  temperature: 40,
  reallocated: 63,
  pending: 529,
  media_errors: 7,
  critical_warnings: [],
  read_at: 1000,
};
const nvme: Health = {
  ...ata,
  passed: false,
  percentage_used: 103,
  temperature: null,
  reallocated: null,
  pending: null,
  media_errors: 17,
  critical_warnings: ['spare', 'read_only'],
};
const drive = (name: string, health: Health | null): Device => ({
  name,
  partitions: [],
  io_counters: null,
  temperature: null,
  health,
});
const pool: StorageArray = {
  name: 'tank',
  kind: 'zfs',
  level: null,
  state: 'degraded',
  reported: 'DEGRADED',
  activity: null,
  missing: null,
  members: [],
  volumes: [],
};

const machine = (parts: Partial<Disks>): Disks => ({ devices: [], arrays: [], io_counters: null, ...parts });
const metricsOf = (parts: Partial<Disks>) => disksReadings.metrics?.read(machine(parts)) ?? [];

test('health has the names and units of smartctl_exporter; values that a drive does not report are left out', () => {
  const metrics = metricsOf({ devices: [drive('sda', ata), drive('nvme0n1', nvme), drive('sdz', null)] });
  const of = (name: string) => linesOf(metrics, name);
  expect(of('smartctl_device_smart_status')).toEqual([
    'smartctl_device_smart_status{device="sda"} 1',
    'smartctl_device_smart_status{device="nvme0n1"} 0',
  ]);
  expect(of('smartctl_device_temperature')).toEqual([
    'smartctl_device_temperature{device="sda",temperature_type="current"} 40',
  ]);
  expect(of('smartctl_device_power_on_seconds')[0]).toBe('smartctl_device_power_on_seconds{device="sda"} 36000');
  expect(of('smartctl_device_percentage_used')).toEqual(['smartctl_device_percentage_used{device="nvme0n1"} 103']);
  expect(of('smartctl_device_media_errors')).toEqual(['smartctl_device_media_errors{device="nvme0n1"} 17']);
  expect(of('smartctl_device_critical_warning')).toEqual(['smartctl_device_critical_warning{device="nvme0n1"} 9']);
});

test('the state of a pool is one of those node_exporter knows', () => {
  const lines = linesOf(metricsOf({ arrays: [pool] }), 'node_zfs_zpool_state');
  expect(lines.length).toBe(7);
  expect(lines.filter((line) => line.endsWith(' 1'))).toEqual([
    'node_zfs_zpool_state{zpool="tank",state="degraded"} 1',
  ]);
});

test('a machine whose drives report no health and that has no arrays has none of these metrics', () => {
  const names = metricsOf({ devices: [drive('vda', null)] }).map(({ name }) => name);
  expect(names.filter((name) => /^(smartctl|node_zfs|hostler_array|hostler_disk_health)_/.test(name))).toEqual([]);
});

test('each drive that reports its health, and each array, is a problem sensor; without a state it is unknown', async () => {
  const { read } = (await disksReadings.entities?.(fakeHost())) ?? {};
  const entities =
    read?.(
      machine({
        devices: [drive('sda', ata), drive('nvme0n1', nvme), drive('vda', null)],
        arrays: [pool, { ...pool, name: 'vg', kind: 'lvm', state: null, reported: null }],
      }),
      null,
    ) ?? [];
  const problems = entities.filter(({ deviceClass }) => deviceClass === 'problem');
  expect(problems.map(({ key, value }) => [key, value])).toEqual([
    ['drive_sda_problem', false],
    ['drive_nvme0n1_problem', true],
    ['array_tank_problem', true],
    ['array_vg_problem', null],
  ]);
});
