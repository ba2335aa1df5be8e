import { partMade, partOf } from '../../../core/part.ts';
import type { Moment } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { disksInTrouble } from '../../../lib/disk-problems.ts';
import { toHealth } from '../disks.health.ts';
import { readDiskArrays } from './disk-arrays.ts';
import { createDiskLayout } from './disks.layout.ts';
import type { DiskStat } from './diskstats.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveState, DriveStates } from './drive-health.ts';

/** Looks between two at the arrays: 5 minutes. What somebody else has heard of a drive is seen at once. */
const skipped = 19;
/** Of those, how many until the drives are asked: an hour, and the first time after ten minutes. */
const askedEvery = 12;
const firstAsked = 2;

/** For the recorder: tells which drives fail and which arrays are incomplete. Drives that sleep stay asleep. */
export function createTroubleLook(host: LinuxHost) {
  const layoutOf = createDiskLayout(host);
  let seen: DriveStates | null = null;
  let skip = 0;
  let untilAsked = firstAsked;

  return (stats: readonly DiskStat[], moment: Moment) => {
    const states = partMade(host, driveHealth)?.known() ?? none;
    const isFirst = seen === null;
    // What is wrong when the recording begins is told as well: nobody knows since when.
    if (isFirst) moment.members('trouble', []);
    if (skip-- > 0 && states === seen) return;
    const isTurn = skip < 0;
    seen = states;
    if (isTurn) {
      skip = skipped;
      if (untilAsked-- === 0) {
        untilAsked = askedEvery - 1;
        askDrives(host, layoutOf(stats).askable);
      }
    }
    const arrays = readDiskArrays(
      host.files,
      stats.map(({ name }) => name),
    );
    moment.members('trouble', disksInTrouble([...states].map(toDevice), arrays));
  };
}

const none: DriveStates = new Map();

const toDevice = ([name, state]: [string, DriveState]) => ({
  name,
  health: 'reading' in state && state.reading !== null ? toHealth(state.reading) : null,
});

/** What they say is seen at one of the next looks. */
function askDrives(host: LinuxHost, drives: readonly AskableDrive[]): void {
  if (drives.length > 0) void partOf(host, driveHealth).then((health) => health.read(drives, 0));
}
