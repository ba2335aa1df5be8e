import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { sleep } from '../../../lib/clock.ts';
import type { ReadDiskRates } from '../processes.busiest.ts';
import { type DiskBytes, diskBytesOf, perSecond } from './processes.io.ts';

/** Longer than for one process, because disks are written in bursts. */
const apartMs = 500;
/** Together: a process can hold up the reads of all others. */
const longestMs = 2000;

/** Reads every process twice. */
export const diskRatesLinux =
  (host: Pick<LinuxHost, 'files' | 'clock' | 'environment'>): ReadDiskRates =>
  async (ids) => {
    const { clock, environment } = host;
    const sample = async () => {
      const found = new Map<number, DiskBytes>();
      const end = clock.monotonic() + longestMs;
      for (const id of ids) {
        const bytes = clock.monotonic() < end ? await diskBytesOf(host, id) : null;
        if (bytes !== null) found.set(id, bytes);
      }
      return found;
    };
    const before = await sample();
    const from = clock.monotonic();
    await sleep(clock, apartMs);
    const after = await sample();
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
