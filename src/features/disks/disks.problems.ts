import type { ModuleProblems } from '../../core/readings/problems.ts';
import { disksInTrouble } from '../../lib/disk-problems.ts';
import type { Disks } from './disks.schema.ts';

export const disksProblems: ModuleProblems<Disks> = {
  problems: {
    disk_full: {
      description: 'A file system is full to this percentage or more',
      percent: 90,
      find: ({ devices }, percent) =>
        devices
          .flatMap(({ partitions }) => partitions)
          // An image of a package is always full, and a second mount is the same file system.
          .filter(({ category }) => category === 'primary')
          .flatMap(({ mount_point, usage }) =>
            usage === null || usage.percent < percent || usage.total === 0
              ? []
              : [
                  {
                    subject: mount_point,
                    text: `${mount_point} is ${Math.floor(usage.percent)} % full`,
                    value: usage.percent,
                  },
                ],
          ),
    },
    drive_failing: {
      description: 'A drive says that it fails, or an array, a pool or a volume group lacks a drive',
      find: ({ devices, arrays }) => disksInTrouble(devices, arrays).map((text) => ({ subject: text, text })),
    },
  },
};
