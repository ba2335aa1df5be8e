import type { Files } from '../../../host/linux/files.ts';
import type { ArrayMember, StorageArray } from '../disks.schema.ts';
import { mostArrays, readBtrfs } from './array-btrfs.ts';
import { mostArrayMembers, readMdArray } from './array-md.ts';

/** All arrays; `devices`: the kernel names of the block devices. */
export function readDiskArrays(files: Files, devices: readonly string[]): StorageArray[] {
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

type LogicalDevice = NonNullable<ReturnType<typeof readLogicalDevice>>;

/** Active volume groups with their volumes and drives, as far as the kernel knows them. */
function readVolumeGroups(files: Files, mapped: readonly string[]): StorageArray[] {
  const devices = new Map(
    mapped.flatMap((name) => {
      const device = readLogicalDevice(files, name);
      return device === null ? [] : [[name, device] as const];
    }),
  );
  const groups = Map.groupBy(devices.values(), ({ group }) => group);
  return [...groups].map(([name, of]) => toArray(name, of, devices));
}

/** A device-mapper device of LVM: `LVM-`, two identifiers of 32 characters, and for hidden parts a suffix. */
function readLogicalDevice(files: Files, name: string) {
  const place = `/sys/block/${name}`;
  const identity = /^LVM-\w{64}(-.*)?$/.exec(files.text(`${place}/dm/uuid`)?.trim() ?? '');
  const [group, volume] = parseMappedName(files.text(`${place}/dm/name`)?.trim() ?? '');
  if (identity === null || group === '' || volume === '') return null;
  // An internal part of a volume, such as one half of a mirror.
  const hidden = identity[1] !== undefined || hiddenParts.test(volume);
  return { group, volume, hidden, below: files.list(`${place}/slaves`) };
}

const hiddenParts = /(_[rm]image_\d+|_rmeta_\d+|_[tc](meta|data)|_cdata|_corig|_mlog|_pmspare|-missing_\d+_\d+)$/;
const halves = /_([rm])image_\d+$/;

/** `vg--data-home`: a hyphen in a name is doubled. https://man7.org/linux/man-pages/man8/dmsetup.8.html */
function parseMappedName(name: string): [group: string, volume: string] {
  const [, group = '', volume = ''] = /^((?:[^-]|--)+)-(.+)$/.exec(name) ?? [];
  return [group.replaceAll('--', '-'), volume.replaceAll('--', '-')];
}

function toArray(name: string, devices: LogicalDevice[], all: ReadonlyMap<string, LogicalDevice>): StorageArray {
  const physical = new Set(devices.flatMap(({ below }) => below.filter((device) => !all.has(device))));
  // The placeholder of a lost drive has no device below it.
  const lost = devices.filter(
    ({ volume, below }) => /-missing_\d+_\d+$/.test(volume) || (halves.test(volume) && below.length === 0),
  );
  const mirrored = devices.some(({ volume }) => halves.test(volume));
  const members = [...physical].sort().slice(0, mostArrayMembers);
  return {
    name,
    kind: 'lvm',
    level: mirrored ? null : 'linear',
    // Only root can read whether the halves of a mirror are in sync.
    state: lost.length > 0 ? 'degraded' : mirrored ? null : 'ok',
    reported: null,
    activity: null,
    missing: lost.length > 0 ? null : 0,
    members: members.map((member): ArrayMember => ({ name: member, state: 'active', errors: null })),
    volumes: devices
      .filter(({ hidden }) => !hidden)
      .map(({ volume }) => volume)
      .sort(),
  };
}

const directory = '/proc/spl/kstat/zfs';

const states: Record<string, StorageArray['state']> = {
  ONLINE: 'ok',
  DEGRADED: 'degraded',
  FAULTED: 'failed',
  UNAVAIL: 'failed',
  SUSPENDED: 'failed',
  REMOVED: 'failed',
  OFFLINE: 'inactive',
};

/** Imported pools. The kernel has no file that lists their drives. */
function readPools(files: Files): StorageArray[] {
  return files
    .list(directory)
    .slice(0, mostArrays)
    .flatMap((pool): StorageArray[] => {
      const reported = files.text(`${directory}/${pool}/state`)?.trim();
      // The directory also contains files.
      if (reported === undefined || reported === '') return [];
      return [
        {
          name: pool,
          kind: 'zfs',
          level: null,
          state: states[reported] ?? null,
          reported: reported.slice(0, 32),
          activity: null,
          missing: null,
          members: [],
          volumes: [],
        },
      ];
    });
}
