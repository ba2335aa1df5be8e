import type { SourceContext } from '../../../core/module.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { mountSteps, textOfBytes } from '../../../host/linux/storage/mountinfo.ts';
import { stopAll, stopOnceBegun } from '../../../lib/closing.ts';
import { inSlices } from '../../../lib/slices.ts';
import { type FileMount, fileMountSteps } from './mount-kinds.ts';

/** Changes that are not announced, such as of an option in another namespace, are found after this time. */
const cachedMs = 60_000;

/** The mounts in the payload. */
export function createMountList({ files, mountTable, volumes, clock }: LinuxHost, { settings, log }: SourceContext) {
  let last: { text: string; all: FileMount[]; readAt: number; news: number } | null = null;
  let isFollowed = false;
  /** Changes that were announced. */
  let news = 0;

  function* readAll(): Generator<void, FileMount[] | null> {
    const readAt = clock.monotonic();
    if (isFollowed && last?.news === news && readAt - last.readAt < cachedMs) return last.all;
    const known = news;
    const text = yield* files.long(mountTable);
    if (text === null) return null;
    const all = last?.text === text ? last.all : yield* fileMountSteps(yield* mountSteps(text));
    last = { text, all, readAt, news: known };
    return all;
  }

  const isListed = () => {
    const allowed = new Set(settings().disks.allowedSecondaryMountPoints.map(withoutSlash));
    return (mount: FileMount) => isDisk(mount) || (allowed.size > 0 && allowed.has(textOfBytes(mount.point)));
  };

  function* readListed(reasons: Reasons | null): Generator<void, FileMount[]> {
    const all = yield* readAll();
    if (all !== null) return all.filter(isListed());
    const sentence = `${mountTable} cannot be read; mount /proc, or set HOSTLER_PROC to where it is mounted`;
    reasons?.missing('devices', sentence);
    return [];
  }

  const signature = async () => JSON.stringify(await inSlices(clock, readListed(null)));

  return {
    read: (reasons: Reasons) => inSlices(clock, readListed(reasons)),
    /** Calls back when one of them is added or removed, or answers after a timeout; not for other mounts. */
    watch(changed: () => void): () => void {
      let known = signature();
      let stopped = false;
      const compare = async () => {
        news += 1;
        const before = known;
        const now = signature();
        known = now;
        if ((await now) !== (await before) && !stopped) changed();
      };
      const following = volumes.follow(() => void compare());
      following.then(
        () => {
          if (stopped) return;
          isFollowed = true;
          // Changes before the subscription were not announced.
          return compare();
        },
        (error) => log.info(`disks: cannot follow mount changes, reading them at intervals instead: ${error}`),
      );
      const stop = stopAll([stopOnceBegun(following), volumes.onLate(changed)]);
      return () => {
        stopped = true;
        isFollowed = false;
        stop();
      };
    },
  };
}

/** Memory counts as a disk only for the root. */
function isDisk({ category, kind, point }: FileMount): boolean {
  return category === 'primary' && (kind !== 'memory' || point === '/');
}

const withoutSlash = (place: string) => (place === '/' ? place : place.replace(/\/+$/, ''));
