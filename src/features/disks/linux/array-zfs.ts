import type { Files } from '../../../host/linux/files.ts';
import { type ArrayState, type DiskArray, mostArrays } from './disk-array.ts';

const directory = '/proc/spl/kstat/zfs';

const states: Record<string, ArrayState> = {
  ONLINE: 'ok',
  DEGRADED: 'degraded',
  FAULTED: 'failed',
  UNAVAIL: 'failed',
  SUSPENDED: 'failed',
  REMOVED: 'failed',
  OFFLINE: 'inactive',
};

/** Imported pools. The kernel has no file that lists their drives. */
export function readPools(files: Files): DiskArray[] {
  return files
    .list(directory)
    .slice(0, mostArrays)
    .flatMap((pool): DiskArray[] => {
      const reported = files.text(`${directory}/${pool}/state`)?.trim();
      // The directory also contains files.
      if (reported === undefined || reported === '') return [];
      return [
        {
          name: pool,
          kind: 'zfs',
          level: null,
          state: states[reported] ?? null,
          reported: reported.slice(0, 32),
          activity: null,
          missing: null,
          members: [],
          volumes: [],
        },
      ];
    });
}
