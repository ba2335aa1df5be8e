import type { SourceContext } from '../../../core/module.ts';
import { definePart, partOf } from '../../../core/part.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { stopOnceBegun } from '../../../lib/closing.ts';
import { isEqual } from '../../../lib/values.ts';
import { several } from '../disks.health.ts';
import type { StorageArray } from '../disks.schema.ts';
import { readDiskArrays } from './disk-arrays.ts';
import type { DiskLayout } from './disks.layout.ts';

/** Arrays change rarely, and each takes several files to read. */
const cachedMs = 5000;
/** Exists while md is loaded. The kernel announces failed drives, new and removed arrays, and the start and end of rebuilds and checks. */
const mdTable = '/proc/mdstat';

/** Calls back when the kernel announces a change of its arrays; rejects if it announces none. Returns a function that stops. */
type FollowArrays = (changed: () => void) => Promise<() => void>;

export const followArrays = definePart<FollowArrays, LinuxHost>({
  name: 'disks.follow-arrays',
  create:
    ({ place, clock }) =>
    async (changed) => {
      const { followUrgent } = await import('../../../host/linux/proc/poll-notify.ts');
      return followUrgent(place(mdTable), 'announces-until-read', clock, changed);
    },
  absent: async () => () => {},
});

export function createArrays(host: LinuxHost, { log }: Pick<SourceContext, 'log'>) {
  const { files, clock } = host;
  let last: { layout: DiskLayout; at: number; arrays: StorageArray[] } | null = null;
  return {
    read(layout: DiskLayout, reasons: Reasons): StorageArray[] {
      if (last === null || last.layout !== layout || clock.monotonic() - last.at >= cachedMs)
        last = { layout, at: clock.monotonic(), arrays: readDiskArrays(files, layout.names) };
      explainArrays(last.arrays, reasons);
      return last.arrays;
    },
    /** Follows md arrays only: changes of the others are not announced. */
    watch(changed: () => void): () => void {
      if (!files.exists(mdTable)) return () => {};
      let stopped = false;
      const reread = () => {
        if (stopped) return;
        last = null;
        changed();
      };
      const following = partOf(host, followArrays).then((follow) => follow(reread));
      following.then(
        () => {
          // Changes before the subscription were not announced.
          if (last !== null && !isEqual(last.arrays, readDiskArrays(files, last.layout.names))) reread();
        },
        (error) => log.info(`disks: cannot follow ${mdTable}, reading the arrays at intervals instead: ${error}`),
      );
      const stop = stopOnceBegun(following);
      return () => {
        stopped = true;
        stop();
      };
    },
  };
}

function explainArrays(arrays: readonly StorageArray[], reasons: Reasons): void {
  for (const [field, sentence, isNull] of whyNull) {
    const names = arrays.filter(isNull).map(({ name }) => name);
    if (names.length > 0) reasons.inherent(`arrays[].${field}`, `${several(names)}: ${sentence}`);
  }
}

const onlyRoot = 'only root can read whether mirrored volumes are complete; "lvs -o name,lv_health_status" shows it';
const silentActivity = 'the kernel does not report whether it is being rebuilt or checked';

const whyNull: readonly [field: string, sentence: string, isNull: (array: StorageArray) => boolean][] = [
  ['level', 'the kernel does not report its RAID level', ({ level }) => level === null],
  ['state', onlyRoot, ({ kind, state }) => kind === 'lvm' && state === null],
  ['state', 'this kernel does not report its state', ({ kind, state }) => kind !== 'lvm' && state === null],
  ['reported', 'the system does not name its state', ({ reported }) => reported === null],
  ['activity', 'nothing is being rebuilt or checked', ({ kind, activity }) => activity === null && !isTaciturn(kind)],
  ['activity', silentActivity, ({ kind, activity }) => activity === null && isTaciturn(kind)],
  ['activity.percent', 'the kernel does not report the progress', ({ activity }) => activity?.percent === null],
  ['missing', 'the kernel does not count missing drives', ({ missing }) => missing === null],
  [
    'members[].errors',
    'the kernel does not count errors of single drives',
    ({ members }) => members.some(({ errors }) => errors === null),
  ],
];

const isTaciturn = (kind: StorageArray['kind']) => kind === 'zfs' || kind === 'lvm';
