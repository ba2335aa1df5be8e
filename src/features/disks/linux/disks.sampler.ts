import type { HistorySampler, Moment } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseMountinfo, textOfBytes, toEnd } from '../../../host/linux/storage/mountinfo.ts';
import { createTroubleLook } from './disks.problems.ts';
import { type DiskStat, parseDiskstats } from './diskstats.ts';
import { fileMounts } from './mount-kinds.ts';

const maxDisks = 40;
/** A table of thousands of mounts, which takes this long to read, is looked at less often. */
const slowMs = 2;
const skippedWhenSlow = 19;
const shortTable = 7000;

/** Counters and mounts, and seldom the arrays and the health of drives: no disk is asked for its temperature, and none is woken. */
export function disksHistoryLinux(host: LinuxHost): HistorySampler {
  const { files, clock, mountTable } = host;
  const lookForTrouble = createTroubleLook(host);
  const diskstats = files.keep('/proc/diskstats');
  const mounts = files.keep(mountTable);
  const isDisk = rememberDisks((name) => files.exists(`/sys/block/${name}/device`));
  let table: string | null = null;
  let skip = 0;

  const lookAtMounts = (moment: Moment) => {
    if (skip-- > 0) return;
    const from = clock.monotonic();
    // The descriptor of a short table stays open; a long one would take the memory it is read into for good.
    const isShort = table !== null && table.length < shortTable;
    const text = isShort ? mounts.text() : toEnd(files.long(mountTable));
    if (text !== null && text !== table) {
      table = text;
      const shown = fileMounts(parseMountinfo(text)).filter(
        ({ category, kind }) => category === 'primary' && kind !== 'memory',
      );
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
        const sum = (pick: (disk: DiskStat) => number) => disks.reduce((total, disk) => total + pick(disk), 0);
        moment.value(
          'disk.read',
          sum(({ readBytes }) => readBytes),
        );
        moment.value(
          'disk.written',
          sum(({ writtenBytes }) => writtenBytes),
        );
      }
      for (const { name, readBytes, writtenBytes } of disks.slice(0, maxDisks)) {
        moment.value('disk.read', readBytes, name);
        moment.value('disk.written', writtenBytes, name);
      }
      lookAtMounts(moment);
      lookForTrouble(stats, moment);
    },
    close() {
      diskstats.close();
      mounts.close();
    },
  };
}

/** Not their partitions, and nothing that is made of other disks: it would count twice. */
function rememberDisks(look: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const answer = known.get(name) ?? look(name);
    known.set(name, answer);
    return answer;
  };
}
