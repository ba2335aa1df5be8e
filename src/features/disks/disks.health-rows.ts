import { each } from '../../core/readings/rows.ts';
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
    {
      help: 'Whether a drive finds itself healthy',
      value: ({ health }) => health.passed,
      prometheus: 'smartctl_device_smart_status',
    },
    {
      help: 'Temperature of a drive when it was asked',
      value: ({ health }) => health.temperature,
      prometheus: { name: 'smartctl_device_temperature', labels: { temperature_type: 'current' } },
    },
    {
      help: 'Time a drive has been running',
      value: ({ health }) => health.power_on_hours,
      prometheus: { name: 'smartctl_device_power_on_seconds', scale: 3600 },
    },
    {
      help: 'Share of its rated endurance that a drive has used',
      value: ({ health }) => health.percentage_used,
      prometheus: 'smartctl_device_percentage_used',
    },
    {
      help: 'Times a drive could not recover data',
      value: ({ health }) => (health.reallocated === null ? health.media_errors : null),
      prometheus: 'smartctl_device_media_errors',
    },
    {
      help: 'Warnings of an NVMe drive, as bits',
      value: ({ health }) => (health.percentage_used === null ? null : warningBits(health)),
      prometheus: 'smartctl_device_critical_warning',
    },
    {
      help: 'When a drive was asked for its health',
      value: ({ health }) => health.read_at,
      prometheus: 'hostler_disk_health_read_timestamp_seconds',
    },
  ],
);

const zpoolStates = ['online', 'degraded', 'faulted', 'offline', 'removed', 'unavail', 'suspended'];

/** ZFS pools are named as in node_exporter; the other kinds have their own states. */
export const arrayRows = [
  each(({ arrays }: Disks) => arrays.filter(({ kind }) => kind === 'zfs'), { label: ({ name }) => ({ zpool: name }) }, [
    {
      help: 'The state of a pool: 1 for the one it is in',
      value: ({ reported }) => reported?.toLowerCase() ?? '',
      prometheus: { name: 'node_zfs_zpool_state', oneOf: zpoolStates },
    },
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
    {
      help: 'The state of a RAID array, volume group, pool or file system: 1 for the one it is in',
      value: ({ state }) => state,
      prometheus: { name: 'hostler_array_state', oneOf: ['ok', 'degraded', 'failed', 'inactive'] },
    },
  ]),
  each(
    ({ arrays }: Disks) =>
      arrays.flatMap(({ name, kind, members }) => members.map((member) => ({ name, kind, member }))),
    { label: ({ name, kind, member }) => ({ name, kind, member: member.name }) },
    [
      {
        help: 'Errors of a member of an array',
        value: ({ member }) => member.errors,
        prometheus: 'hostler_array_member_errors',
      },
    ],
  ),
];

/** Bits of the critical warnings of an NVMe drive, by the names in the payload. */
const warnings = ['spare', 'temperature', 'reliability', 'read_only', 'volatile_memory', 'persistent_memory'];

const warningBits = ({ critical_warnings }: Health) =>
  warnings.reduce((bits, word, index) => (critical_warnings.includes(word) ? bits | (1 << index) : bits), 0);
