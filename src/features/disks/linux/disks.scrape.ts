import { partMade } from '../../../core/part.ts';
import { counter, gauge, type Metric, metricsOfEach } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Space, Volumes } from '../../../host/volumes.ts';
import { fileSystemLabels } from '../disks.health-rows.ts';
import type { Disks, Partition } from '../disks.schema.ts';
import { btrfsErrors } from './array-btrfs.ts';
import { activityMetrics } from './disks.activity-metrics.ts';
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
