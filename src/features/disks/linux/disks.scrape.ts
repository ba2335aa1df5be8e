import { partMade } from '../../../core/part.ts';
import type { Metric } from '../../../core/readings/metrics.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Disks } from '../disks.schema.ts';
import { activityMetrics } from './disks.activity-metrics.ts';
import { arrayMetrics } from './disks.array-metrics.ts';
import { attributeMetrics, btrfsErrorMetrics } from './disks.error-metrics.ts';
import { fileCountMetrics } from './disks.file-count-metrics.ts';
import { driveHealth } from './drive-health.part.ts';

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
