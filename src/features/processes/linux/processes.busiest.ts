import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { sleep } from '../../../lib/clock.ts';
import { inSlices } from '../../../lib/slices.ts';
import type { ReadDiskRates } from '../processes.busiest.ts';
import { type DiskBytes, diskBytesOf, perSecond } from './processes.io.ts';

/** Longer than for one process, because disks are written in bursts. */
const apartMs = 500;
const atOnce = 16;

/** Reads every process twice, in slices that do not block the event loop. */
export const diskRatesLinux =
  ({ files, clock, environment }: Pick<LinuxHost, 'files' | 'clock' | 'environment'>): ReadDiskRates =>
  async (ids) => {
    function* sample(): Generator<void, Map<number, DiskBytes>> {
      const found = new Map<number, DiskBytes>();
      for (const [at, id] of ids.entries()) {
        const bytes = diskBytesOf(files, id);
        if (bytes !== null) found.set(id, bytes);
        if (at % atOnce === atOnce - 1) yield;
      }
      return found;
    }
    const before = await inSlices(clock, sample());
    const from = clock.monotonic();
    await sleep(clock, apartMs);
    const after = await inSlices(clock, sample());
    const seconds = (clock.monotonic() - from) / 1000;
    const rates = new Map(
      [...after].flatMap(([id, bytes]) => {
        const earlier = before.get(id);
        return earlier === undefined ? [] : [[id, perSecond(earlier, bytes, seconds)] as const];
      }),
    );
    const unseen = ids.length - after.size;
    if (after.size === 0 && ids.length > 0)
      return {
        rates: null,
        reason: 'The kernel does not count the disk I/O of processes, or hides it from this service',
      };
    if (unseen === 0 || environment.uid === 0) return { rates, reason: null };
    return {
      rates,
      reason: `The disk I/O of ${unseen} processes of other users is hidden; run the service as root, or give it the capability CAP_SYS_PTRACE`,
    };
  };
