import type { SourceContext } from '../../../core/module.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { mountSteps, textOfBytes } from '../../../host/linux/storage/mountinfo.ts';
import { inSlices } from '../../../lib/slices.ts';
import { type FileMount, fileMountSteps } from './mount-kinds.ts';

/** The mounts that are shown. */
export interface MountList {
  read(reasons: Reasons): FileMount[] | Promise<FileMount[]>;
  /** Hears when one of them comes or goes, or answers after it was given up; not of the many others. */
  watch(changed: () => void): () => void;
}

/** What nobody announces, such as an option that was changed elsewhere, shows after a while all the same. */
const keptMs = 60_000;

export function createMountList(
  { files, mountTable, volumes, clock }: LinuxHost,
  { settings, log }: SourceContext,
): MountList {
  let last: { text: string; all: FileMount[]; readAt: number; news: number } | null = null;
  let isFollowed = false;
  /** Changes that were announced. */
  let news = 0;

  function* readAll(): Generator<void, FileMount[] | null> {
    const readAt = clock.monotonic();
    if (isFollowed && last?.news === news && readAt - last.readAt < keptMs) return last.all;
    const known = news;
    const text = yield* files.long(mountTable);
    if (text === null) return null;
    const all = last?.text === text ? last.all : yield* fileMountSteps(yield* mountSteps(text));
    last = { text, all, readAt, news: known };
    return all;
  }

  const isShown = () => {
    const allowed = new Set(settings().disks.allowedSecondaryMountPoints.map(withoutSlash));
    return (mount: FileMount) => isDisk(mount) || (allowed.size > 0 && allowed.has(textOfBytes(mount.point)));
  };

  function* readShown(reasons: Reasons | null): Generator<void, FileMount[]> {
    const all = yield* readAll();
    if (all !== null) return all.filter(isShown());
    const sentence = `${mountTable} cannot be read; mount /proc, or set HOSTLER_PROC to where it is mounted`;
    reasons?.missing('devices', sentence);
    return [];
  }

  const signature = async () => JSON.stringify(await inSlices(clock, readShown(null)));

  return {
    read: (reasons) => inSlices(clock, readShown(reasons)),
    watch(changed) {
      let known = signature();
      let stopped = false;
      let stopFollowing = () => {};
      const look = async () => {
        news += 1;
        const before = known;
        const now = signature();
        known = now;
        if ((await now) !== (await before) && !stopped) changed();
      };
      volumes
        .follow(() => void look())
        .then(
          (stop) => {
            if (stopped) return stop();
            stopFollowing = stop;
            isFollowed = true;
            // What came before anybody listened is not announced.
            return look();
          },
          (error) => log.info(`disks: cannot follow mount changes, checking now and then instead: ${error}`),
        );
      const stopHearing = volumes.onLate(changed);
      return () => {
        stopped = true;
        isFollowed = false;
        stopFollowing();
        stopHearing();
      };
    },
  };
}

/** Memory is no disk, unless everything lies there. */
function isDisk({ category, kind, point }: FileMount): boolean {
  return category === 'primary' && (kind !== 'memory' || point === '/');
}

const withoutSlash = (place: string) => (place === '/' ? place : place.replace(/\/+$/, ''));
