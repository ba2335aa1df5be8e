import type { Kernel32 } from '../../../host/windows/native/kernel32.ts';
import type { Partition } from '../disks.schema.ts';
import { sharesOf } from '../disks.shares.ts';

export interface Drive {
  /** Whether it is on a disk of this machine. */
  isLocal: boolean;
  /** The target of the letter if it is not a disk, such as \\server\share. */
  name: string;
  partition: Partition;
}

const kinds = ['unknown', 'unknown', 'removable', 'fixed', 'remote', 'cdrom', 'ramdisk'];
const { NO_ROOT, REMOTE, CDROM } = { NO_ROOT: 1, REMOTE: 4, CDROM: 5 };
const READ_ONLY_VOLUME = 0x80000;

/** All drive letters. */
export function readDrives(kernel32: Kernel32): Drive[] {
  const mask = kernel32.logicalDrives();
  const letters = Array.from({ length: 26 }, (_, bit) => bit).filter((bit) => (mask & (1 << bit)) !== 0);
  return letters.flatMap((bit) => readDrive(kernel32, String.fromCharCode(65 + bit)) ?? []);
}

function readDrive(kernel32: Kernel32, letter: string): Drive | null {
  const root = `${letter}:\\`;
  const kind = kernel32.driveType(root);
  if (kind === NO_ROOT) return null;
  const volume = kernel32.volume(root);
  const space = kernel32.space(root);
  const isRemote = kind === REMOTE;
  const name = isRemote ? shareOf(kernel32.dosDevice(`${letter}:`)) : null;
  const unique = isRemote ? null : kernel32.volumeName(root);
  const options = [volume !== null && (volume.flags & READ_ONLY_VOLUME) !== 0 ? 'ro' : 'rw', kinds[kind] ?? 'unknown'];
  return {
    isLocal: !isRemote && kind !== CDROM,
    name: name ?? unique ?? root,
    partition: {
      device: name ?? unique ?? root,
      mount_point: root,
      filesystem_type: volume?.fileSystem ?? '',
      options: options.join(','),
      category: 'primary',
      usage: space === null || space.total === 0 ? null : sharesOf(space),
      max_file_size: largestFile[volume?.fileSystem ?? ''] ?? 0,
      max_path_length: volume === null ? 0 : 32_767,
    },
  };
}

/** As in \Device\LanmanRedirector\;Z:0000000000012345\server\share. */
export function shareOf(device: string | null): string | null {
  const [, share] = /^\\Device\\(?:LanmanRedirector|Mup)\\(?:;[^\\]*\\)*(.+)$/i.exec(device ?? '') ?? [];
  return share === undefined ? null : `\\\\${share}`;
}

/** Bytes; limits that depend on the cluster size are left out. */
const largestFile: Partial<Record<string, number>> = { FAT: 2 ** 32 - 1, FAT32: 2 ** 32 - 1 };
