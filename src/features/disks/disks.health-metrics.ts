import { gauge, type Metric } from '../../core/readings/metrics.ts';
import type { Device, Health, StorageArray } from './disks.schema.ts';

/** Bits of the byte with critical warnings of an NVMe drive, by our words. */
const warningBits = ['spare', 'temperature', 'reliability', 'read_only', 'volatile_memory', 'persistent_memory'];

/** Under the names of smartctl_exporter, which calls its counts so without _total. */
export function healthMetrics(devices: readonly Device[]): Metric[] {
  const told = devices.flatMap(({ name, health }) => (health === null ? [] : [{ name, health }]));
  if (told.length === 0) return [];
  const each = (value: (health: Health) => number | boolean | null, labels: Record<string, string> = {}) =>
    told.map(({ name, health }) => [{ device: name, ...labels }, value(health)] as const);
  return [
    gauge(
      'smartctl_device_smart_status',
      'Whether a drive finds itself healthy',
      each(({ passed }) => passed),
    ),
    gauge(
      'smartctl_device_temperature',
      'Temperature of a drive when it was asked',
      each(({ temperature }) => temperature, { temperature_type: 'current' }),
    ),
    gauge(
      'smartctl_device_power_on_seconds',
      'Time a drive has been running',
      each(({ power_on_hours }) => (power_on_hours === null ? null : power_on_hours * 3600)),
    ),
    gauge(
      'smartctl_device_percentage_used',
      'Share of its rated life that a drive has used up',
      each(({ percentage_used }) => percentage_used),
    ),
    gauge(
      'smartctl_device_media_errors',
      'Times a drive could not recover data',
      each(({ media_errors, reallocated }) => (reallocated === null ? media_errors : null)),
    ),
    gauge(
      'smartctl_device_critical_warning',
      'Warnings of an NVMe drive, as bits',
      each(({ critical_warnings, percentage_used }) =>
        percentage_used === null
          ? null
          : critical_warnings.reduce((bits, word) => bits | bitOf(warningBits.indexOf(word)), 0),
      ),
    ),
    gauge(
      'hostler_disk_health_read_timestamp_seconds',
      'When a drive was asked for its health',
      each(({ read_at }) => read_at),
    ),
  ];
}

const bitOf = (index: number) => (index === -1 ? 0 : 1 << index);

const zpoolStates = ['online', 'degraded', 'faulted', 'offline', 'removed', 'unavail', 'suspended'];

/** Pools of ZFS under the names of node_exporter; the other kinds have states of their own. */
export function poolMetrics(arrays: readonly StorageArray[]): Metric[] {
  if (arrays.length === 0) return [];
  const pools = arrays.filter(({ kind }) => kind === 'zfs');
  return [
    gauge(
      'node_zfs_zpool_state',
      'The state of a pool: 1 for the one it is in',
      pools.flatMap(({ name, reported }) =>
        zpoolStates.map((state) => [{ zpool: name, state }, state === reported?.toLowerCase()] as const),
      ),
    ),
    gauge(
      'hostler_array_state',
      'The state of a RAID array, volume group, pool or file system: 1 for the one it is in',
      arrays.flatMap(({ name, kind, state }) =>
        state === null
          ? []
          : ['ok', 'degraded', 'failed', 'inactive'].map(
              (each) => [{ name, kind, state: each }, each === state] as const,
            ),
      ),
    ),
    gauge(
      'hostler_array_member_errors',
      'Errors of a member of an array',
      arrays.flatMap(({ name, kind, members }) =>
        members.map(({ name: member, errors }) => [{ name, kind, member }, errors] as const),
      ),
    ),
  ].filter(({ samples }) => samples.length > 0);
}
