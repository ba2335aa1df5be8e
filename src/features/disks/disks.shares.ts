import type { Space } from '../../host/volumes.ts';
import type { Counters } from './disks.schema.ts';

/** Space reserved for root counts neither as used nor as free, as in df. */
export function sharesOf({ total, free, available }: Space) {
  const used = Math.max(0, total - free);
  const usable = used + available;
  const percent = usable === 0 ? 0 : Math.min(100, Math.round((1000 * used) / usable) / 10);
  return { total, used, free: available, percent };
}

export function sumOfCounters(all: readonly Counters[]): Counters {
  const sum: Counters = { read_count: 0, write_count: 0, read_bytes: 0, write_bytes: 0, read_time: 0, write_time: 0 };
  for (const counters of all) for (const key of Object.keys(sum) as (keyof Counters)[]) sum[key] += counters[key];
  return sum;
}
