import { each, metricRow } from '../../core/readings/rows.ts';
import { isFailing, isImpaired } from '../../lib/disk-problems.ts';
import type { Disks, Health, Partition } from './disks.schema.ts';

export const fileSystemLabels = ({ device, filesystem_type, mount_point }: Partition) => ({
  device,
  fstype: filesystem_type,
  mountpoint: mount_point,
});

/** Named as in smartctl_exporter, whose counters have no suffix _total. */
export const healthRows = each(
  ({ devices }: Disks) => devices.flatMap(({ name, health }) => (health === null ? [] : [{ name, health }])),
  { label: ({ name }) => ({ device: name }), key: ({ name }) => name },
  [
    {
      id: 'drive_{key}_problem',
      name: 'Drive {title} failing',
      value: ({ health }) => isFailing(health),
      entity: { deviceClass: 'problem', isDiagnostic: true, attributes: ({ health }) => ({ ...health }) },
    },
    metricRow('smartctl_device_smart_status', 'Whether a drive finds itself healthy', ({ health }) => health.passed),
    metricRow(
      { name: 'smartctl_device_temperature', labels: { temperature_type: 'current' } },
      'Temperature of a drive when it was asked',
      ({ health }) => health.temperature,
    ),
    metricRow(
      { name: 'smartctl_device_power_on_seconds', scale: 3600 },
      'Time a drive has been running',
      ({ health }) => health.power_on_hours,
    ),
    metricRow(
      'smartctl_device_percentage_used',
      'Share of its rated endurance that a drive has used',
      ({ health }) => health.percentage_used,
    ),
    metricRow('smartctl_device_media_errors', 'Times a drive could not recover data', ({ health }) =>
      health.reallocated === null ? health.media_errors : null,
    ),
    metricRow('smartctl_device_critical_warning', 'Warnings of an NVMe drive, as bits', ({ health }) =>
      health.percentage_used === null ? null : warningBits(health),
    ),
    metricRow(
      'hostler_disk_health_read_timestamp_seconds',
      'When a drive was asked for its health',
      ({ health }) => health.read_at,
    ),
  ],
);

const zpoolStates = ['online', 'degraded', 'faulted', 'offline', 'removed', 'unavail', 'suspended'];

/** ZFS pools are named as in node_exporter; the other kinds have their own states. */
export const arrayRows = [
  each(({ arrays }: Disks) => arrays.filter(({ kind }) => kind === 'zfs'), { label: ({ name }) => ({ zpool: name }) }, [
    metricRow(
      { name: 'node_zfs_zpool_state', oneOf: zpoolStates },
      'The state of a pool: 1 for the one it is in',
      ({ reported }) => reported?.toLowerCase() ?? '',
    ),
  ]),
  each(({ arrays }: Disks) => arrays, { label: ({ name, kind }) => ({ name, kind }), key: ({ name }) => name }, [
    {
      id: 'array_{key}_problem',
      name: 'Array {title} impaired',
      value: (array) => isImpaired(array),
      entity: {
        deviceClass: 'problem',
        isDiagnostic: true,
        attributes: ({ kind, level, state, activity }) => ({ kind, level, state, activity }),
      },
    },
    metricRow(
      { name: 'hostler_array_state', oneOf: ['ok', 'degraded', 'failed', 'inactive'] },
      'The state of a RAID array, volume group, pool or file system: 1 for the one it is in',
      ({ state }) => state,
    ),
  ]),
  each(
    ({ arrays }: Disks) =>
      arrays.flatMap(({ name, kind, members }) => members.map((member) => ({ name, kind, member }))),
    { label: ({ name, kind, member }) => ({ name, kind, member: member.name }) },
    [metricRow('hostler_array_member_errors', 'Errors of a member of an array', ({ member }) => member.errors)],
  ),
];

/** Bits of the critical warnings of an NVMe drive, by the names in the payload. */
const warnings = ['spare', 'temperature', 'reliability', 'read_only', 'volatile_memory', 'persistent_memory'];

const warningBits = ({ critical_warnings }: Health) =>
  warnings.reduce((bits, word, index) => (critical_warnings.includes(word) ? bits | (1 << index) : bits), 0);
