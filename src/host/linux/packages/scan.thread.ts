import { messageOf } from '../../../lib/errors.ts';
import type { ThreadJob } from '../../../lib/thread.ts';
import type { Roots } from '../files.ts';
import type { ManagerState } from './manager-state.ts';
import { scanPackages } from './scan.ts';

export interface ScanOrder {
  roots: Roots;
  home: string;
}

export type ScanReply = { managers: ManagerState[] } | { problem: string };

/** Reads the package lists once. */
export const scanInThread: ThreadJob = async (post, order) => {
  const { roots, home } = order as ScanOrder;
  scanPackages(roots, home).then(
    (managers) => post({ managers } satisfies ScanReply),
    (error) => post({ problem: messageOf(error) } satisfies ScanReply),
  );
  return { receive() {} };
};
