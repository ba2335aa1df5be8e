import { partMade } from '../../../core/part.ts';
import { counter, gauge, type Metric, metricsOfEach, scaled } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Space, Volumes } from '../../../host/volumes.ts';
import { fileSystemLabels } from '../disks.health-rows.ts';
import type { Disks, Partition } from '../disks.schema.ts';
import { btrfsErrors } from './array-btrfs.ts';
import { arrayMetrics } from './disks.array-metrics.ts';
import { driveHealth } from './drive-health.part.ts';
import type { DriveStates } from './drive-health.ts';
import { quickTypes } from './mount-kinds.ts';

/** All counters of the kernel; the payload has a selection. */
export async function disksMetricsLinux(host: LinuxHost, { devices }: Pick<Disks, 'devices'>): Promise<Metric[]> {
  const { files, volumes } = host;
  const partitions = devices.flatMap((device) => device.partitions);
  return [
    ...activityMetrics(files.text('/proc/diskstats') ?? '', (numbers) => files.text(`/run/udev/data/b${numbers}`)),
    ...arrayMetrics(files.text('/proc/mdstat') ?? ''),
    ...btrfsErrorMetrics(files),
    ...attributeMetrics(partMade(host, driveHealth)?.known() ?? new Map()),
    ...(await fileCountMetrics(volumes, partitions)),
  ];
}

/** The number of inodes, and whether a file system answers. */
async function fileCountMetrics(volumes: Volumes, partitions: readonly Partition[]): Promise<Metric[]> {
  const spaces = await Promise.all(partitions.map((partition) => spaceOf(volumes, partition)));
  const entries = partitions.map((partition, index) => [fileSystemLabels(partition), spaces[index] ?? null] as const);
  return metricsOfEach('gauge', entries, [
    ['node_filesystem_files', 'Files that a file system has room for', (space) => space?.files],
    ['node_filesystem_files_free', 'Files that could still be made', (space) => space?.freeFiles],
    ['node_filesystem_device_error', 'Whether the usage of a file system could not be read', (space) => space === null],
  ]);
}

async function spaceOf(volumes: Volumes, { mount_point, filesystem_type, usage }: Partition): Promise<Space | null> {
  // A file system that has just not answered is not queried again.
  if (usage === null) return null;
  const place = Buffer.from(mount_point, 'utf8').toString('latin1');
  const result = quickTypes.has(filesystem_type) ? volumes.space(place) : await volumes.spaceLater('files', place);
  return result.kind === 'value' ? result.value : null;
}

/** Errors on each drive of a btrfs file system, named as in node_exporter. */
function btrfsErrorMetrics(files: Files): Metric[] {
  const errors = btrfsErrors(files);
  if (errors.length === 0) return [];
  return [
    counter(
      'node_btrfs_device_errors',
      'Errors on a drive of a file system',
      errors.map(({ uuid, device, type, count }) => [{ uuid, device, type }, count]),
    ),
  ];
}

/** The attributes of ATA drives, named as in smartctl_exporter. */
function attributeMetrics(states: DriveStates): Metric[] {
  const samples = [...states].flatMap(([device, { reading }]) =>
    (reading?.attributes ?? []).flatMap(({ id, name, value, worst, threshold, raw, prefail }) => {
      const labels = {
        device,
        attribute_id: String(id),
        attribute_name: name,
        attribute_flags_long: prefail ? 'prefailure' : '',
      };
      return Object.entries({ value, worst, thresh: threshold, raw }).map(
        ([attribute_value_type, number]) => [{ ...labels, attribute_value_type }, number] as const,
      );
    }),
  );
  return samples.length === 0 ? [] : [gauge('smartctl_device_attribute', 'What an ATA drive counts', samples)];
}

/** Partitions, and devices backed by a file or memory: node_exporter excludes them too. */
const leftOut = /^(ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\d+n\d+p)\d+$/;

/** The columns after the name. https://docs.kernel.org/admin-guide/iostats.html */
const columns = [
  ['node_disk_reads_completed', 'Reads completed', 1],
  ['node_disk_reads_merged', 'Reads that were joined to another', 1],
  // The kernel counts sectors of 512 bytes for every device.
  ['node_disk_read_bytes', 'Bytes read', 512],
  ['node_disk_read_time_seconds', 'Time spent on reads', 1e-3],
  ['node_disk_writes_completed', 'Writes completed', 1],
  ['node_disk_writes_merged', 'Writes that were joined to another', 1],
  ['node_disk_written_bytes', 'Bytes written', 512],
  ['node_disk_write_time_seconds', 'Time spent on writes', 1e-3],
  ['node_disk_io_now', 'Reads and writes under way', 1],
  ['node_disk_io_time_seconds', 'Time during which anything was under way', 1e-3],
  ['node_disk_io_time_weighted_seconds', 'The same, times what was under way', 1e-3],
  ['node_disk_discards_completed', 'Discards completed', 1],
  ['node_disk_discards_merged', 'Discards that were joined to another', 1],
  ['node_disk_discarded_sectors', 'Sectors discarded', 1],
  ['node_disk_discard_time_seconds', 'Time spent on discards', 1e-3],
  ['node_disk_flush_requests', 'Flushes completed', 1],
  ['node_disk_flush_requests_time_seconds', 'Time spent on flushes', 1e-3],
] as const;

/** `udev`: the udev properties of a device, by its numbers. */
function activityMetrics(diskstats: string, udev: (numbers: string) => string | null): Metric[] {
  const disks = diskstats
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name]) => name !== undefined && !leftOut.test(name));
  const activity = columns.map(([name, help, unit], column) => {
    // Kernels before 4.18 have no discards, those before 5.5 no flushes.
    const values = disks.flatMap((line) => {
      const value = line[column + 3];
      return value === undefined ? [] : [[{ device: line[2] ?? '' }, scaled(Number(value), unit)] as const];
    });
    return name === 'node_disk_io_now' ? gauge(name, help, values) : counter(name, help, values);
  });
  return [
    ...activity,
    gauge(
      'node_disk_info',
      'What a disk is',
      disks.map(([major = '', minor = '', device = '']) => [
        { device, major, minor, ...describe(udev(`${major}:${minor}`) ?? '') },
        1,
      ]),
    ),
  ];
}

/** Lines such as `E:ID_MODEL=…`. The serial number is not exported. */
function describe(properties: string): Record<string, string> {
  const found = new Map(
    properties
      .split('\n')
      .filter((line) => line.startsWith('E:'))
      .map((line) => [line.slice(2, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  );
  const of = (name: string) => found.get(name) ?? '';
  return { path: of('ID_PATH'), wwn: of('ID_WWN'), model: of('ID_MODEL'), serial: '', revision: of('ID_REVISION') };
}
