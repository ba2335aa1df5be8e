import type { Space } from '../../../host/volumes.ts';

export interface Shares {
  total: number;
  used: number;
  free: number;
  percent: number;
}

/** What is kept for root counts neither as used nor as free, as df has it. */
export function sharesOf({ total, free, available }: Space): Shares {
  const used = Math.max(0, total - free);
  const usable = used + available;
  const percent = usable === 0 ? 0 : Math.min(100, Math.round((1000 * used) / usable) / 10);
  return { total, used, free: available, percent };
}
