import type { Sample } from '../../core/readings/metrics.ts';
import { otlpGauge, otlpSum } from '../../core/readings/otlp.ts';
import { asCounter, asSeconds } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import { each, metricRow, type Row } from '../../core/readings/rows.ts';
import { capitalised } from '../../lib/capitalised.ts';
import { disksInTrouble } from '../../lib/disk-problems.ts';
import { arrayRows, fileSystemLabels, healthRows } from './disks.health-rows.ts';
import type { Device, Disks, Partition } from './disks.schema.ts';

const off = { isOff: true, isDiagnostic: true };

type Way = 'read' | 'write';

const direction =
  (way: Way) =>
  ({ device = '' }: Record<string, string>) => ({ 'system.device': device, 'disk.io.direction': way });

const bytesMoved = (way: Way, past: string): Row<Device> => ({
  id: `drive_{key}_${way}`,
  name: `Drive {title} ${way}`,
  help: `Bytes ${past}`,
  kind: 'counter',
  unit: 'bytes',
  value: ({ io_counters }) => io_counters?.[`${way}_bytes`] ?? null,
  entity: { unit: 'MB/s', ...off },
  prometheus: `node_disk_${past}_bytes`,
  otlp: asCounter('system.disk.io', 'By', direction(way)),
});

const operations = (way: Way): Row<Device> =>
  metricRow(
    `node_disk_${way}s_completed`,
    `${capitalised(way)}s completed`,
    ({ io_counters }) => io_counters?.[`${way}_count`],
    { kind: 'counter', otlp: asCounter('system.disk.operations', '{operation}', direction(way)) },
  );

const timeSpent = (way: Way): Row<Device> =>
  metricRow(
    { name: `node_disk_${way}_time_seconds`, scale: 0.001 },
    `Time spent on ${way}s`,
    ({ io_counters }) => io_counters?.[`${way}_time`],
    { kind: 'counter', otlp: asSeconds('system.disk.operation_time', 's', direction(way)) },
  );

export const disksReadings = readings<Disks>({
  rows: [
    {
      help: 'Read from all disks; disk.read/sda and so on: from one',
      kind: 'counter',
      unit: 'bytes',
      value: ({ io_counters }) => io_counters?.read_bytes ?? null,
      record: { name: 'disk.read', title: 'Reading from disks' },
    },
    {
      help: 'Written to all disks; disk.written/sda and so on: to one',
      kind: 'counter',
      unit: 'bytes',
      value: ({ io_counters }) => io_counters?.write_bytes ?? null,
      record: { name: 'disk.written', title: 'Writing to disks' },
    },
    each(
      partitionsOf,
      {
        label: fileSystemLabels,
        key: ({ mount_point }) => mount_point,
        device: ({ mount_point }) => mount_point,
        hasEntities: isPrimary,
      },
      [
        {
          id: 'disk_{key}_used',
          name: 'Disk {title} used',
          unit: 'percent',
          value: ({ usage }) => usage?.percent ?? null,
          entity: { icon: 'mdi:harddisk' },
        },
        {
          id: 'disk_{key}_free',
          name: 'Disk {title} free',
          help: 'Space available to ordinary users',
          unit: 'bytes',
          value: ({ usage }) => usage?.free ?? null,
          entity: { unit: 'GB', isDiagnostic: true },
          prometheus: 'node_filesystem_avail_bytes',
          record: { name: 'disk.free', title: 'Free disk space', when: isPrimary },
        },
        metricRow('node_filesystem_size_bytes', 'Size of a file system', ({ usage }) => usage?.total),
        metricRow(
          'node_filesystem_free_bytes',
          'Free space, including what is reserved for root',
          ({ usage }) => usage && usage.total - usage.used,
        ),
        metricRow('node_filesystem_readonly', 'Whether it is mounted read-only', ({ options }) =>
          options.split(',').includes('ro'),
        ),
      ],
    ),
    each(
      ({ devices }: Disks) => devices,
      {
        label: ({ name }) => ({ device: name }),
        key: ({ name }) => name,
        hasEntities: ({ io_counters, temperature }) => io_counters !== null || temperature !== null,
      },
      [
        {
          id: 'drive_{key}_temperature',
          name: 'Drive {title} temperature',
          help: 'Temperature of a disk',
          unit: 'celsius',
          value: ({ temperature }) => temperature,
          entity: off,
          prometheus: 'hostler_disk_temperature_celsius',
        },
        bytesMoved('read', 'read'),
        bytesMoved('write', 'written'),
        operations('read'),
        operations('write'),
        timeSpent('read'),
        timeSpent('write'),
        {
          prometheus: 'node_disk_io_time_seconds',
          otlp: asSeconds('system.disk.io_time', 's', ({ device = '' }) => ({ 'system.device': device })),
        },
      ],
    ),
    healthRows,
    ...arrayRows,
  ],
  scrape: {
    linux: async () => (await import('./linux/disks.scrape.ts')).disksMetricsLinux,
    windows: async () => (await import('./windows/disks.scrape.ts')).disksMetricsWindows,
  },
  otlp: () => ({
    metrics(found) {
      const { usage, limits, shares } = fileSystems(
        found('node_filesystem_size_bytes'),
        found('node_filesystem_free_bytes'),
        found('node_filesystem_avail_bytes'),
        found('node_filesystem_readonly'),
      );
      return [
        otlpSum('system.filesystem.usage', 'By', usage),
        otlpSum('system.filesystem.limit', 'By', limits),
        otlpGauge('system.filesystem.utilization', '1', shares),
      ];
    },
  }),
  // A failing drive is published at once; disks fill slowly.
  entities: { atOnce: true, atMostEvery: 300 },
  history: {
    sets: {
      mounts: {
        kind: 'mount',
        description: 'A file system was mounted or unmounted',
        came: (name) => `${name} was mounted`,
        went: (name) => `${name} was unmounted`,
        members: (disks) => partitionsOf(disks).map(({ device, mount_point }) => `${mount_point} (${device})`),
      },
      trouble: {
        kind: 'drive',
        description: 'A problem of a drive or an array began or ended',
        came: (sentence) => sentence,
        went: (sentence) => `No longer: ${sentence}`,
        members: ({ devices, arrays }) => disksInTrouble(devices, arrays),
      },
    },
  },
  sampler: { linux: async () => (await import('./linux/disks.sampler.ts')).disksHistoryLinux },
  problems: {
    disk_full: {
      description: 'A file system is full to this percentage or more',
      percent: 90,
      find: (disks, percent) =>
        partitionsOf(disks).flatMap(({ category, mount_point: subject, usage }) =>
          category !== 'primary' || usage === null || usage.percent < percent || usage.total === 0
            ? []
            : [{ subject, text: `${subject} is ${Math.floor(usage.percent)} % full`, value: usage.percent }],
        ),
    },
    drive_failing: {
      description: 'A drive reports a failure, or an array, a pool or a volume group lacks a drive',
      find: ({ devices, arrays }) => disksInTrouble(devices, arrays).map((text) => ({ subject: text, text })),
    },
  },
});

function partitionsOf({ devices }: Disks): Partition[] {
  return devices.flatMap(({ partitions }) => partitions);
}

/** Bind mounts repeat a file system, and package images are always full. */
function isPrimary({ category }: Partition): boolean {
  return category === 'primary';
}

/** The states of a file system make up its size: used, free to ordinary users, and reserved for root. */
function fileSystems(sizes: readonly Sample[], ...others: [readonly Sample[], readonly Sample[], readonly Sample[]]) {
  const [free, available, readOnly] = others.map(byPlace);
  const found = sizes.flatMap(({ labels, value: size }) => {
    const place = placeOf(labels);
    const [all, forUsers] = [free?.get(place), available?.get(place)];
    if (all === undefined || forUsers === undefined) return [];
    const attributes = {
      'system.device': labels.device ?? '',
      'system.filesystem.mountpoint': labels.mountpoint ?? '',
      'system.filesystem.type': labels.fstype ?? '',
      'system.filesystem.mode': readOnly?.get(place) === 1 ? 'ro' : 'rw',
    };
    const states = { used: size - all, free: forUsers, reserved: Math.max(0, all - forUsers) };
    return [{ attributes, size, states }];
  });
  const usage = found.flatMap(({ attributes, size, states }) =>
    Object.entries(states).map(([state, value]) => ({
      attributes: { ...attributes, 'system.filesystem.state': state },
      value,
      size,
    })),
  );
  return {
    usage,
    limits: found.map(({ attributes, size }) => ({ attributes, value: size })),
    shares: usage.flatMap(({ attributes, value, size }) => (size > 0 ? [{ attributes, value: value / size }] : [])),
  };
}

const placeOf = ({ device, mountpoint, fstype }: Record<string, string>) =>
  JSON.stringify([device, mountpoint, fstype]);

const byPlace = (samples: readonly Sample[]) => new Map(samples.map(({ labels, value }) => [placeOf(labels), value]));
