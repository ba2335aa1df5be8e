import type { ModulePayloads } from '@hostler/client/events.ts';
import { counted, fromModule, type GlancesPlugin } from './plugin.ts';

type Device = ModulePayloads['disks']['devices'][number];

const mem = fromModule('memory', {}, ({ now }, version) => {
  const { wired: _, ...virtual } = now.payload.virtual;
  // Glances 3 means what is available.
  return version === 3 ? { ...virtual, free: virtual.available } : virtual;
});

const memswap = fromModule('memory', {}, ({ now }) => ({ ...now.payload.swap, time_since_update: 1 }));

/** Without second mounts of one file system and images of packages, as Glances hides them. */
const fs = fromModule('disks', [], ({ now }, version) =>
  now.payload.devices
    .flatMap(({ partitions }) => partitions)
    .flatMap(({ device, mount_point, filesystem_type, options, category, usage }) =>
      usage === null || category !== 'primary'
        ? []
        : [
            {
              device_name: device,
              fs_type: filesystem_type,
              mnt_point: mount_point,
              ...(version === 3 ? {} : { options }),
              size: usage.total,
              used: usage.used,
              free: usage.free,
              percent: usage.percent,
              key: 'mnt_point',
            },
          ],
    ),
);

const diskio = fromModule('disks', [], ({ now, before, seconds }, version) => {
  const earlier = new Map(before.payload.devices.map((device) => [device.name, device.io_counters]));
  return now.payload.devices.flatMap(({ name, io_counters }) => {
    if (io_counters === null) return [];
    const counters = counted(io_counters, earlier.get(name) ?? undefined, seconds, version);
    if (version === 3) {
      const { read_time: _, write_time: __, ...fields } = counters;
      return [{ disk_name: name, ...fields, key: 'disk_name' }];
    }
    const latency = (way: 'read' | 'write') =>
      Math.round((counters[`${way}_time`] ?? 0) / Math.max(1, counters[`${way}_count`] ?? 0));
    return [
      {
        disk_name: name,
        ...counters,
        read_latency: latency('read'),
        write_latency: latency('write'),
        key: 'disk_name',
      },
    ];
  });
});

const smart = fromModule('disks', [], ({ now }) =>
  now.payload.devices.flatMap(({ name, health }) =>
    health === null ? [] : [{ DeviceName: name, ...smartAttributes(health), key: 'DeviceName' }],
  ),
);

export const storagePlugins: Record<string, GlancesPlugin> = { mem, memswap, fs, diskio, smart };

/** Numbered from 1 with the names that Glances gives the values of NVMe drives; the drive's own numbers of ATA attributes are not known here. */
function smartAttributes(health: NonNullable<Device['health']>) {
  const known = [
    ['criticalWarning', 'Number of critical warnings', health.critical_warnings.length],
    ['_temperature', 'Temperature (°C)', health.temperature],
    ['percentageUsed', 'Percentage used (%)', health.percentage_used],
    ['powerOnHours', 'Power-on hours', health.power_on_hours],
    ['integrityErrors', 'Integrity errors', health.media_errors],
    ['reallocatedSectors', 'Reallocated sectors', health.reallocated],
    ['pendingSectors', 'Pending sectors', health.pending],
  ] as const;
  const shown = known.flatMap(([key, name, value]) => (value === null ? [] : [{ key, name, value, raw: value }]));
  return Object.fromEntries(shown.map((attribute, index) => [String(index + 1), attribute]));
}
