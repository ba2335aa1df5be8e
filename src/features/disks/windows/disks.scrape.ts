import { type Metric, metricsOfEach } from '../../../core/readings/metrics.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import type { Disks } from '../disks.schema.ts';

/** Named as in windows_exporter. */
export function disksMetricsWindows(_host: WindowsHost, { devices }: Disks): Metric[] {
  const volumes = devices
    .flatMap(({ partitions }) => partitions)
    .map((partition) => [{ volume: partition.mount_point.replace(/\\$/, '') }, partition] as const);
  const disks = devices.flatMap(({ name, io_counters }) => {
    const [, disk] = /^PhysicalDrive(\d+)$/.exec(name) ?? [];
    return disk === undefined || io_counters === null ? [] : [[{ disk }, io_counters] as const];
  });
  return [
    ...metricsOfEach('gauge', volumes, [
      ['windows_logical_disk_size_bytes', 'Size of a volume', ({ usage }) => usage?.total],
      ['windows_logical_disk_free_bytes', 'Free space available to ordinary users', ({ usage }) => usage?.free],
    ]),
    ...metricsOfEach('counter', disks, [
      ['windows_physical_disk_read_bytes', 'Bytes read', ({ read_bytes }) => read_bytes],
      ['windows_physical_disk_write_bytes', 'Bytes written', ({ write_bytes }) => write_bytes],
      ['windows_physical_disk_reads', 'Reads completed', ({ read_count }) => read_count],
      ['windows_physical_disk_writes', 'Writes completed', ({ write_count }) => write_count],
    ]),
  ];
}
