import type { Reasons } from '../../../core/reasons.ts';
import { textOfBytes } from '../../../host/linux/storage/mountinfo.ts';
import type { Space, Volumes } from '../../../host/volumes.ts';
import type { GuardedResult } from '../../../lib/hang-guard.ts';
import type { Partition } from '../disks.schema.ts';
import { sharesOf } from '../disks.shares.ts';
import type { FileMount } from './mount-kinds.ts';

export type Usage = Partition['usage'];

/** The usage of the mounts, in their order. */
export function readUsages(
  volumes: Volumes,
  listed: readonly FileMount[],
  reasons: Reasons,
): Usage[] | Promise<Usage[]> {
  const explained = (mount: FileMount, result: GuardedResult<Space>) => toUsage(mount, result, listed, reasons);
  if (!listed.some(({ slow }) => slow)) return listed.map((mount) => explained(mount, volumes.space(mount.point)));
  const usages = listed.map(async (mount) =>
    explained(mount, mount.slow ? await volumes.spaceLater(String(mount.id), mount.point) : volumes.space(mount.point)),
  );
  return Promise.all(usages);
}

function toUsage(
  mount: FileMount,
  result: GuardedResult<Space>,
  listed: readonly FileMount[],
  reasons: Reasons,
): Usage {
  const missing = (sentence: string) => reasons.missing('devices[].partitions[].usage', sentence);
  const name = `${textOfBytes(mount.point)} (${mount.type} from ${textOfBytes(mount.source)})`;
  switch (result.kind) {
    case 'value':
      if (result.value.total > 0) return sharesOf(result.value);
      reasons.inherent('devices[].partitions[].usage', `${name} does not report its size`);
      return null;
    case 'failed':
      missing(result.code === 'EACCES' ? refused(name) : `${name} does not report how full it is: ${result.code}`);
      return null;
    case 'silent':
      missing(
        `${name} has not answered for ${(result.ms / 1000).toFixed(1)} s and is not queried again until it does; bring its server back, or unmount it with "umount -l"`,
      );
      return null;
    case 'behind': {
      const silent = listed.filter(({ id, point }) => result.others.includes(`${id} ${point}`));
      const others = silent.map(({ point }) => textOfBytes(point)).join(', ') || 'the previous mount at this place';
      missing(`${name} is not queried until ${others} answers; bring that server back, or unmount it`);
      return null;
    }
  }
}

const refused = (name: string) =>
  `This user may not access ${name}; grant access to the directories above it, or mount it with allow_other`;
