import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { counter, gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import { healthMetrics, poolMetrics } from './disks.health-metrics.ts';
import type { Counters, Device, Disks, Partition } from './disks.schema.ts';

const platforms: PerPlatform<Metric[] | Promise<Metric[]>, [Disks]> = {
  linux: async () => (await import('./linux/disks.scrape.ts')).disksMetricsLinux,
  windows: async () => (await import('./windows/disks.scrape.ts')).disksMetricsWindows,
};

export const disksMetrics: ModuleMetrics<Disks> = {
  beside: async (payload, host) => (await loadFor(host, platforms))?.(payload) ?? [],
  read({ devices, arrays }) {
    const partitions = devices.flatMap((device) => device.partitions);
    const eachPartition = (value: (partition: Partition) => number | boolean | null | undefined) =>
      partitions.map((partition) => [labelsOf(partition), value(partition)] as const);
    const eachDisk = (value: (counters: Counters) => number) =>
      devices.map(
        ({ name, io_counters }) => [{ device: name }, io_counters === null ? null : value(io_counters)] as const,
      );
    return [
      gauge(
        'node_filesystem_size_bytes',
        'Size of a file system',
        eachPartition(({ usage }) => usage?.total),
      ),
      gauge(
        'node_filesystem_avail_bytes',
        'Space available to ordinary users',
        eachPartition(({ usage }) => usage?.free),
      ),
      gauge(
        'node_filesystem_free_bytes',
        'Free space, including what is reserved for root',
        eachPartition(({ usage }) => usage && usage.total - usage.used),
      ),
      gauge('node_filesystem_readonly', 'Whether it is mounted read-only', eachPartition(isReadOnly)),
      counter(
        'node_disk_reads_completed',
        'Reads completed',
        eachDisk(({ read_count }) => read_count),
      ),
      counter(
        'node_disk_read_bytes',
        'Bytes read',
        eachDisk(({ read_bytes }) => read_bytes),
      ),
      counter(
        'node_disk_read_time_seconds',
        'Time spent on reads',
        eachDisk(({ read_time }) => read_time / 1000),
      ),
      counter(
        'node_disk_writes_completed',
        'Writes completed',
        eachDisk(({ write_count }) => write_count),
      ),
      counter(
        'node_disk_written_bytes',
        'Bytes written',
        eachDisk(({ write_bytes }) => write_bytes),
      ),
      counter(
        'node_disk_write_time_seconds',
        'Time spent on writes',
        eachDisk(({ write_time }) => write_time / 1000),
      ),
      gauge('hostler_disk_temperature_celsius', 'Temperature of a disk', devices.map(temperatureOf)),
      ...healthMetrics(devices),
      ...poolMetrics(arrays),
    ];
  },
};

const labelsOf = ({ device, filesystem_type, mount_point }: Partition) => ({
  device,
  fstype: filesystem_type,
  mountpoint: mount_point,
});

const isReadOnly = ({ options }: Partition) => options.split(',').includes('ro');

const temperatureOf = ({ name, temperature }: Device) => [{ device: name }, temperature] as const;
