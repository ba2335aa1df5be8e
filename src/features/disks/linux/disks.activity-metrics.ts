import { counter, gauge, type Metric, scaled } from '../../../core/readings/metrics.ts';

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
export function activityMetrics(diskstats: string, udev: (numbers: string) => string | null): Metric[] {
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
