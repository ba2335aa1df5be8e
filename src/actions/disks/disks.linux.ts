import { sharesOf } from '../../core/shares.ts';
import { type FileMount, fileMounts } from '../../host/linux/storage/mount-kinds.ts';
import { parseMountinfo, toText } from '../../host/linux/storage/mountinfo.ts';
import type { Mounts } from '../../host/linux/storage/volumes.ts';
import type { ReadSecondary } from './disks.ts';

export const secondaryLinux: ReadSecondary = async ({ files, mounts }) => {
  const table = parseMountinfo(files.text(mounts.table) ?? '');
  const secondary = fileMounts(table).filter(({ category }) => category !== 'primary');
  return await Promise.all(
    secondary.map(async (mount) => ({
      device: toText(mount.source),
      mount_point: toText(mount.point),
      filesystem_type: mount.type,
      category: mount.category,
      usage: await usageOf(mounts, mount),
    })),
  );
};

/** null: it does not answer, or has no size. */
async function usageOf(mounts: Mounts, { id, point, slow }: FileMount) {
  const answer = slow ? await mounts.spaceLater(id, point) : mounts.space(point);
  return answer.kind === 'value' && answer.value.total > 0 ? sharesOf(answer.value) : null;
}
