import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import type { Counters, Disks, Partition } from '../disks.schema.ts';

/** Named as in windows_exporter. */
export function disksMetricsWindows(_host: WindowsHost, { devices }: Disks): Metric[] {
  const eachVolume = (value: (partition: Partition) => number | undefined) =>
    devices
      .flatMap(({ partitions }) => partitions)
      .map((partition) => [{ volume: partition.mount_point.replace(/\\$/, '') }, value(partition)] as const);
  const eachDisk = (value: (counters: Counters) => number) =>
    devices.flatMap(({ name, io_counters }) => {
      const [, disk] = /^PhysicalDrive(\d+)$/.exec(name) ?? [];
      return disk === undefined || io_counters === null ? [] : [[{ disk }, value(io_counters)] as const];
    });
  return [
    gauge(
      'windows_logical_disk_size_bytes',
      'Size of a volume',
      eachVolume(({ usage }) => usage?.total),
    ),
    gauge(
      'windows_logical_disk_free_bytes',
      'Free space available to ordinary users',
      eachVolume(({ usage }) => usage?.free),
    ),
    counter(
      'windows_physical_disk_read_bytes',
      'Bytes read',
      eachDisk(({ read_bytes }) => read_bytes),
    ),
    counter(
      'windows_physical_disk_write_bytes',
      'Bytes written',
      eachDisk(({ write_bytes }) => write_bytes),
    ),
    counter(
      'windows_physical_disk_reads',
      'Reads completed',
      eachDisk(({ read_count }) => read_count),
    ),
    counter(
      'windows_physical_disk_writes',
      'Writes completed',
      eachDisk(({ write_count }) => write_count),
    ),
  ];
}
