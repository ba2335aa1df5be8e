import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseMountinfo, textOfBytes } from '../../../host/linux/storage/mountinfo.ts';
import type { Volumes } from '../../../host/volumes.ts';
import type { DiskMount } from '../disks.schema.ts';
import { sharesOf } from '../disks.shares.ts';
import { type FileMount, fileMounts } from './mount-kinds.ts';

export async function secondaryLinux({
  files,
  mountTable,
  volumes,
}: Pick<LinuxHost, 'files' | 'mountTable' | 'volumes'>): Promise<DiskMount[]> {
  const table = parseMountinfo(files.text(mountTable) ?? '');
  const secondary = fileMounts(table).filter(({ category }) => category !== 'primary');
  return await Promise.all(
    secondary.map(async (mount) => ({
      device: textOfBytes(mount.source),
      mount_point: textOfBytes(mount.point),
      filesystem_type: mount.type,
      category: mount.category,
      usage: await usageOf(volumes, mount),
    })),
  );
}

/** null: no answer, or no size. */
async function usageOf(volumes: Volumes, { id, point, slow }: FileMount) {
  const result = slow ? await volumes.spaceLater(String(id), point) : volumes.space(point);
  return result.kind === 'value' && result.value.total > 0 ? sharesOf(result.value) : null;
}
