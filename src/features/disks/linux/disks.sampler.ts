import { partMade, partOf } from '../../../core/part.ts';
import type { HistorySampler, Moment } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseMountinfo, textOfBytes } from '../../../host/linux/storage/mountinfo.ts';
import { disksInTrouble } from '../../../lib/disk-problems.ts';
import { atOnce } from '../../../lib/slices.ts';
import { healthOf } from '../disks.health.ts';
import { sharesOf, sumOfCounters } from '../disks.shares.ts';
import { readDiskArrays } from './disk-arrays.ts';
import { createDiskLayout } from './disks.layout.ts';
import { type DiskStat, parseDiskstats } from './diskstats.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveStates } from './drive-health.ts';
import { type FileMount, fileMounts } from './mount-kinds.ts';

const maxDisks = 40;
/** A mount table that takes longer to read, with thousands of mounts, is read less often. */
const slowMs = 2;
const skippedWhenSlow = 19;
const shortTable = 7000;
/** Free space is read with one sample of these; the others repeat it. */
const samplesPerSpace = 20;
const maxFileSystems = 40;

/** Counters and mounts, and rarely the arrays and the health of drives. Reads no temperature and wakes no disk. */
export function disksHistoryLinux(host: LinuxHost): HistorySampler {
  const { files, clock, mountTable, volumes } = host;
  const sampleTrouble = createTroubleSampler(host);
  const diskstats = files.keep('/proc/diskstats');
  const mounts = files.keep(mountTable);
  const isDisk = rememberDisks((name) => files.exists(`/sys/block/${name}/device`));
  let table: string | null = null;
  let skip = 0;
  let fileSystems: FileMount[] = [];
  let space: [name: string, free: number | null][] = [];
  let spaceAge = 0;

  /** Those on other machines may not answer. */
  const sampleSpace = (moment: Moment) => {
    if (spaceAge++ % samplesPerSpace === 0)
      space = fileSystems.slice(0, maxFileSystems).map(({ point }) => {
        const result = volumes.space(point);
        return [textOfBytes(point), result.kind === 'value' ? sharesOf(result.value).free : null];
      });
    for (const [name, free] of space) moment.value('disk.free', free, name);
  };

  const sampleMounts = (moment: Moment) => {
    if (skip-- > 0) return;
    const from = clock.monotonic();
    // The descriptor of a short table stays open; for a long one the read buffer would stay allocated.
    const isShort = table !== null && table.length < shortTable;
    const text = isShort ? mounts.text() : atOnce(files.long(mountTable));
    if (text !== null && text !== table) {
      table = text;
      spaceAge = 0;
      const shown = fileMounts(parseMountinfo(text)).filter(
        ({ category, kind }) => category === 'primary' && kind !== 'memory',
      );
      fileSystems = shown.filter(({ slow }) => !slow).sort((a, b) => Number(isRemovable(a)) - Number(isRemovable(b)));
      moment.members(
        'mounts',
        shown.map(({ point, source }) => `${textOfBytes(point)} (${textOfBytes(source)})`),
      );
    }
    skip = clock.monotonic() - from > slowMs ? skippedWhenSlow : 0;
  };

  return {
    sample(moment) {
      const stats = parseDiskstats(diskstats.text() ?? '');
      const disks = stats.filter(({ name }) => isDisk(name));
      if (disks.length > 0) {
        const { read_bytes, write_bytes } = sumOfCounters(disks.map(({ counters }) => counters));
        moment.value('disk.read', read_bytes);
        moment.value('disk.written', write_bytes);
      }
      for (const { name, counters } of disks.slice(0, maxDisks)) {
        moment.value('disk.read', counters.read_bytes, name);
        moment.value('disk.written', counters.write_bytes, name);
      }
      sampleMounts(moment);
      sampleSpace(moment);
      sampleTrouble(stats, moment);
    },
    close() {
      diskstats.close();
      mounts.close();
    },
  };
}

/** Users may mount such ones, which must not take the places of those of the machine. */
const isRemovable = ({ point, source }: FileMount): boolean =>
  point !== '/' && (/^\/(run\/)?media\//.test(textOfBytes(point)) || textOfBytes(source).startsWith('/dev/loop'));

/** Without partitions and composed disks, which would count twice. */
function rememberDisks(check: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const answer = known.get(name) ?? check(name);
    known.set(name, answer);
    return answer;
  };
}

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
