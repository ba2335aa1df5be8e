import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Space, Volumes } from '../../../host/volumes.ts';
import type { Partition } from '../disks.schema.ts';

/** These answer from memory; the others are queried in a thread, since a server may hang. */
const quick = new Set('ext2 ext3 ext4 xfs btrfs f2fs squashfs tmpfs ramfs overlay'.split(' '));

/** The number of inodes, and whether a file system answers. */
export async function fileCountMetrics(volumes: Volumes, partitions: readonly Partition[]): Promise<Metric[]> {
  const spaces = await Promise.all(partitions.map((partition) => spaceOf(volumes, partition)));
  const each = (value: (space: Space) => number | undefined) =>
    partitions.map((partition, index) => {
      const space = spaces[index] ?? null;
      return [labelsOf(partition), space === null ? null : value(space)] as const;
    });
  return [
    gauge(
      'node_filesystem_files',
      'Files that a file system has room for',
      each(({ files }) => files),
    ),
    gauge(
      'node_filesystem_files_free',
      'Files that could still be made',
      each(({ freeFiles }) => freeFiles),
    ),
    gauge(
      'node_filesystem_device_error',
      'Whether the usage of a file system could not be read',
      partitions.map((partition, index) => [labelsOf(partition), (spaces[index] ?? null) === null]),
    ),
  ];
}

const labelsOf = ({ device, filesystem_type, mount_point }: Partition) => ({
  device,
  fstype: filesystem_type,
  mountpoint: mount_point,
});

async function spaceOf(volumes: Volumes, { mount_point, filesystem_type, usage }: Partition): Promise<Space | null> {
  // A file system that has just not answered is not queried again.
  if (usage === null) return null;
  const place = Buffer.from(mount_point, 'utf8').toString('latin1');
  const result = quick.has(filesystem_type) ? volumes.space(place) : await volumes.spaceLater('files', place);
  return result.kind === 'value' ? result.value : null;
}
