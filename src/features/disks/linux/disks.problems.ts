import { partMade, partOf } from '../../../core/part.ts';
import type { Moment } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { disksInTrouble } from '../../../lib/disk-problems.ts';
import { healthOf } from '../disks.health.ts';
import { readDiskArrays } from './disk-arrays.ts';
import { createDiskLayout } from './disks.layout.ts';
import type { DiskStat } from './diskstats.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveStates } from './drive-health.ts';

/** Samples between two reads of the arrays: 5 minutes. New drive states are used at once. */
const skipped = 19;
/** Reads of the arrays between two queries of the drives: an hour; the first one after ten minutes. */
const queriedEvery = 12;
const firstQueried = 2;

/** For the recorder: the failing drives and the incomplete arrays. Does not wake drives. */
export function createTroubleSampler(host: LinuxHost) {
  const layoutOf = createDiskLayout(host);
  let seen: DriveStates | null = null;
  let skip = 0;
  let untilQueried = firstQueried;

  return (stats: readonly DiskStat[], moment: Moment) => {
    const states = partMade(host, driveHealth)?.known() ?? none;
    const isFirst = seen === null;
    // Starting from an empty list reports the problems that exist when the recording begins.
    if (isFirst) moment.members('trouble', []);
    if (skip-- > 0 && states === seen) return;
    const isDue = skip < 0;
    seen = states;
    if (isDue) {
      skip = skipped;
      if (untilQueried-- === 0) {
        untilQueried = queriedEvery - 1;
        queryDrives(host, layoutOf(stats).askable);
      }
    }
    const arrays = readDiskArrays(
      host.files,
      stats.map(({ name }) => name),
    );
    const drives = [...healthOf(states.keys(), states)].map(([name, health]) => ({ name, health }));
    moment.members('trouble', disksInTrouble(drives, arrays));
  };
}

const none: DriveStates = new Map();

/** The answers are used at a later sample. */
function queryDrives(host: LinuxHost, drives: readonly AskableDrive[]): void {
  if (drives.length > 0) void partOf(host, driveHealth).then((health) => health.read(drives, 0));
}
