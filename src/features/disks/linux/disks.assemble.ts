import type { Reasons } from '../../../core/reasons.ts';
import { textOfBytes } from '../../../host/linux/storage/mountinfo.ts';
import { explainHealth, healthOf, several } from '../disks.health.ts';
import type { Device, Disks, Partition, StorageArray } from '../disks.schema.ts';
import { sumOfCounters } from '../disks.shares.ts';
import type { Disk } from './block-devices.ts';
import { whyNoHealth } from './disks.health.ts';
import type { DiskLayout } from './disks.layout.ts';
import type { Temperatures } from './disks.temperature.ts';
import type { Usage } from './disks.usage.ts';
import type { DiskStat } from './diskstats.ts';
import type { DriveStates } from './drive-health.ts';
import type { FileMount } from './mount-kinds.ts';

export interface Seen {
  /** null: the kernel's table cannot be read. */
  stats: DiskStat[] | null;
  layout: DiskLayout;
  listed: readonly FileMount[];
  /** Of the listed mounts, in their order. */
  usages: Usage[];
  temperatures: Temperatures;
  states: DriveStates;
  arrays: StorageArray[];
}

interface Group extends Device {
  disk: Disk | null;
  /** Removable devices come last, so that positions in the list rarely change. */
  rank: number;
}

export function assembleDisks(
  { stats, layout, listed, usages, temperatures, states, arrays }: Seen,
  reasons: Reasons,
): Disks {
  const counted = new Map((stats ?? []).map(({ name, counters }) => [name, counters]));
  const drives = layout.askable;
  const askable = new Set(drives.map(({ name }) => name));
  const health = healthOf(askable, states);
  const groups = new Map<string, Group>();

  const groupOfDisk = (disk: Disk): Group => {
    return joined(groups, disk.name, {
      name: disk.label,
      partitions: [],
      io_counters: counted.get(disk.name) ?? null,
      temperature: temperatures.get(disk.name) ?? null,
      health: health.get(disk.name) ?? null,
      disk,
      rank: rankOf(disk),
    });
  };

  for (const disk of layout.blocks.disks) if (disk.listed) groupOfDisk(disk);
  for (const [index, mount] of listed.entries()) {
    // Users choose the sources of their own file systems: those are names, and no paths to look up.
    const isStored = mount.kind === 'block' || mount.kind === 'pool';
    const block = isStored ? layout.blocks.find(mount.device, mount.source) : null;
    const disk = block === null ? null : layout.blocks.diskOf(block);
    const group = disk === null ? groupWithoutDisk(groups, mount) : groupOfDisk(disk);
    group.partitions.push(toPartition(mount, block, usages[index] ?? null));
  }

  const ordered = [...groups.values()].sort(byRankAndName);
  explainNulls(ordered, reasons);
  const others = ordered.flatMap(({ disk, name }) => (disk === null || !askable.has(disk.name) ? [name] : []));
  explainHealth({ drives, others, health }, (drive) => whyNoHealth(drive, states), reasons);
  const real = layout.blocks.disks.flatMap(({ name, real }) => (real ? (counted.get(name) ?? []) : []));
  return { devices: ordered.map(toDevice), arrays, io_counters: stats === null ? null : sumOfCounters(real) };
}

/** With the keys in a fixed order. */
function toDevice({ name, partitions, io_counters, temperature, health }: Group): Device {
  return { name, partitions: partitions.sort(byPlace), io_counters, temperature, health };
}

const rankOf = ({ real, removable }: Disk) => (real ? (removable ? 1 : 0) : 2);

const ranks: Record<FileMount['kind'], number> = { block: 3, pool: 3, overlay: 3, memory: 3, remote: 4 };

/** The group of a pool, a server or another source that is not a disk. */
function groupWithoutDisk(groups: Map<string, Group>, { kind, type, source }: FileMount): Group {
  const name = textOfBytes(type === 'zfs' ? (source.split('/')[0] ?? source) : source);
  return joined(groups, `from ${name}`, {
    name,
    partitions: [],
    io_counters: null,
    temperature: null,
    health: null,
    disk: null,
    rank: ranks[kind],
  });
}

function joined(groups: Map<string, Group>, key: string, fresh: Group): Group {
  const known = groups.get(key);
  if (known !== undefined) return known;
  groups.set(key, fresh);
  return fresh;
}

/** PATH_MAX of the kernel, for every file system. */
const longestPath = 4096;
/** FAT has 32 bits for the size. The limits of others exceed any disk. */
const largestFile: Record<string, number> = { vfat: 2 ** 32 - 1, msdos: 2 ** 32 - 1 };

function toPartition(mount: FileMount, block: string | null, usage: Usage): Partition {
  // The kernel names the boot device /dev/root, which does not exist.
  const isNamed = block === null || (mount.source.startsWith('/dev/') && mount.source !== '/dev/root');
  return {
    device: isNamed ? textOfBytes(mount.source) : `/dev/${block.replaceAll('!', '/')}`,
    mount_point: textOfBytes(mount.point),
    filesystem_type: mount.type,
    options: textOfBytes(optionsOf(mount)),
    category: mount.category,
    usage,
    max_file_size: largestFile[mount.type] ?? 0,
    max_path_length: longestPath,
  };
}

/** The options of the mount and of the file system; either can be read-only. */
function optionsOf({ options, superOptions }: FileMount): string {
  const all = new Set([...options.split(','), ...superOptions.split(',')].filter((option) => option !== ''));
  const mode = all.has('ro') ? 'ro' : 'rw';
  all.delete('ro');
  all.delete('rw');
  return [mode, ...all].join();
}

/** For devices without a sensor or counters. */
function explainNulls(groups: Group[], reasons: Reasons): void {
  const names = groups.filter(({ disk }) => disk === null || !disk.listed).map(({ name }) => name);
  if (names.length > 0)
    reasons.inherent('devices[].temperature', `${several(names)}: no temperature sensor of its own`);
  const uncounted = groups.filter(({ disk }) => disk === null).map(({ name }) => name);
  if (uncounted.length > 0) {
    reasons.inherent('devices[].io_counters', `${several(uncounted)}: the kernel keeps counters for disks only`);
  }
}

/** Disks with shorter names come first: sdb before sdaa, nvme9n1 before nvme10n1. */
function byRankAndName(a: Group, b: Group): number {
  const shorter = a.disk === null ? 0 : a.name.length - b.name.length;
  return a.rank - b.rank || shorter || (a.name < b.name ? -1 : 1);
}

const byPlace = (a: Partition, b: Partition) => (a.mount_point < b.mount_point ? -1 : 1);
