import type { Sample } from '../../core/readings/metrics.ts';
import { type ModuleOtlp, otlpCounter, otlpGauge, otlpPoints, otlpSeconds, otlpSum } from '../../core/readings/otlp.ts';

export const disksOtlp = (): ModuleOtlp => ({
  metrics(found) {
    const bothWays = (reads: string, writes: string) => [
      ...otlpPoints(found(reads), ({ device = '' }) => ({ 'system.device': device, 'disk.io.direction': 'read' })),
      ...otlpPoints(found(writes), ({ device = '' }) => ({ 'system.device': device, 'disk.io.direction': 'write' })),
    ];
    const { usage, limits, shares } = fileSystems(
      found('node_filesystem_size_bytes'),
      found('node_filesystem_free_bytes'),
      found('node_filesystem_avail_bytes'),
      found('node_filesystem_readonly'),
    );
    return [
      otlpCounter('system.disk.io', 'By', bothWays('node_disk_read_bytes', 'node_disk_written_bytes')),
      otlpCounter(
        'system.disk.operations',
        '{operation}',
        bothWays('node_disk_reads_completed', 'node_disk_writes_completed'),
      ),
      otlpSeconds(
        'system.disk.operation_time',
        's',
        bothWays('node_disk_read_time_seconds', 'node_disk_write_time_seconds'),
      ),
      otlpSeconds(
        'system.disk.io_time',
        's',
        otlpPoints(found('node_disk_io_time_seconds'), ({ device = '' }) => ({ 'system.device': device })),
      ),
      otlpSum('system.filesystem.usage', 'By', usage),
      otlpSum('system.filesystem.limit', 'By', limits),
      otlpGauge('system.filesystem.utilization', '1', shares),
    ];
  },
});

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
