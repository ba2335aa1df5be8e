import type { Files } from '../../../host/linux/files.ts';
import { readBtrfs } from './array-btrfs.ts';
import { readVolumeGroups } from './array-lvm.ts';
import { readMdArray } from './array-md.ts';
import { readPools } from './array-zfs.ts';
import { type DiskArray, mostArrays } from './disk-array.ts';

/** All arrays; `devices`: the kernel names of the block devices. */
export function readDiskArrays(files: Files, devices: readonly string[]): DiskArray[] {
  const md = devices.filter((name) => /^md[\d_]/.test(name) && !/^md.*\dp\d+$/.test(name));
  return [
    ...md.flatMap((name) => readMdArray(files, name) ?? []),
    ...readVolumeGroups(
      files,
      devices.filter((name) => /^dm-\d+$/.test(name)),
    ),
    ...readPools(files),
    ...readBtrfs(files),
  ].slice(0, mostArrays);
}
