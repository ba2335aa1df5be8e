import type { Counters } from '../disks.schema.ts';
import type { DiskStat } from './diskstats.ts';

export function toCounters(stat: DiskStat): Counters {
  return {
    read_count: stat.reads,
    write_count: stat.writes,
    read_bytes: stat.readBytes,
    write_bytes: stat.writtenBytes,
    read_time: stat.readMs,
    write_time: stat.writeMs,
  };
}

export function sumOfCounters(stats: readonly DiskStat[]): Counters {
  const sum = toCounters({ ...nothing });
  for (const stat of stats) {
    sum.read_count += stat.reads;
    sum.write_count += stat.writes;
    sum.read_bytes += stat.readBytes;
    sum.write_bytes += stat.writtenBytes;
    sum.read_time += stat.readMs;
    sum.write_time += stat.writeMs;
  }
  return sum;
}

const nothing: DiskStat = {
  device: '',
  name: '',
  reads: 0,
  readBytes: 0,
  readMs: 0,
  writes: 0,
  writtenBytes: 0,
  writeMs: 0,
};
