import type { Reasons, SourceContext } from '../../core/module.ts';
import type { Host } from '../../host/host.ts';
import { type FileMount, fileMounts } from '../../host/linux/mount-kinds.ts';
import { parseMountinfo, toText } from '../../host/linux/mountinfo.ts';

/** The mounts that are shown. */
export interface MountList {
  read(reasons: Reasons): FileMount[];
  /** Hears when one of them comes or goes, or answers after it was given up; not of the many others. */
  watch(changed: () => void): () => void;
  close(): void;
}

export function createMountList({ files, mounts }: Host, { settings, log }: SourceContext): MountList {
  const table = files.keep(mounts.table);
  let last: { text: string; all: FileMount[] } | null = null;

  const readAll = (): FileMount[] | null => {
    const text = table.text();
    if (text === null) return null;
    if (last?.text !== text) last = { text, all: fileMounts(parseMountinfo(text)) };
    return last.all;
  };

  const shown = (all: FileMount[]): FileMount[] => {
    const allowed = new Set(settings().disks.allowedSecondaryMountPoints.map(withoutSlash));
    return all.filter((mount) => isDisk(mount) || allowed.has(toText(mount.point)));
  };

  const signature = () => JSON.stringify(shown(readAll() ?? []));

  return {
    read(reasons) {
      const all = readAll();
      if (all !== null) return shown(all);
      const sentence = `${mounts.table} cannot be read; mount /proc, or point HOSTLER_PROC to where it is mounted`;
      reasons.missing('devices', sentence);
      return [];
    },
    watch(changed) {
      let known = signature();
      let stopped = false;
      let stopFollowing = () => {};
      const look = () => {
        const now = signature();
        if (now === known) return;
        known = now;
        changed();
      };
      mounts.follow(look).then(
        (stop) => {
          if (stopped) return stop();
          stopFollowing = stop;
          // What came before anybody listened is not announced.
          look();
        },
        (error) => log.info(`disks: mounts are not followed, only looked at now and then: ${error}`),
      );
      const stopHearing = mounts.onLate(changed);
      return () => {
        stopped = true;
        stopFollowing();
        stopHearing();
      };
    },
    close: table.close,
  };
}

/** Memory is no disk, unless everything lies there. */
function isDisk({ category, kind, point }: FileMount): boolean {
  return category === 'primary' && (kind !== 'memory' || point === '/');
}

const withoutSlash = (place: string) => (place === '/' ? place : place.replace(/\/+$/, ''));
