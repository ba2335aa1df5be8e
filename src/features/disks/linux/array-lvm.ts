import type { Files } from '../../../host/linux/files.ts';
import { type ArrayMember, type DiskArray, mostArrayMembers } from './disk-array.ts';

/** A device of the device mapper that LVM made. */
interface LogicalDevice {
  group: string;
  volume: string;
  /** The parts of a volume that people do not see, such as the halves of a mirror. */
  hidden: boolean;
  below: string[];
}

/** Volume groups that are in use, as far as the kernel knows them: which volumes there are, and on what. */
export function readVolumeGroups(files: Files, mapped: readonly string[]): DiskArray[] {
  const devices = new Map(
    mapped.flatMap((name) => {
      const device = readLogicalDevice(files, name);
      return device === null ? [] : [[name, device] as const];
    }),
  );
  const groups = Map.groupBy(devices.values(), ({ group }) => group);
  return [...groups].map(([name, of]) => toArray(name, of, devices));
}

/** Theirs is `LVM-`, two identifiers of 32 characters, and for hidden parts what kind. */
function readLogicalDevice(files: Files, name: string): LogicalDevice | null {
  const place = `/sys/block/${name}`;
  const identity = /^LVM-\w{64}(-.*)?$/.exec(files.text(`${place}/dm/uuid`)?.trim() ?? '');
  const [group, volume] = parseMappedName(files.text(`${place}/dm/name`)?.trim() ?? '');
  if (identity === null || group === '' || volume === '') return null;
  const hidden = identity[1] !== undefined || hiddenParts.test(volume);
  return { group, volume, hidden, below: files.list(`${place}/slaves`) };
}

const hiddenParts = /(_[rm]image_\d+|_rmeta_\d+|_[tc](meta|data)|_cdata|_corig|_mlog|_pmspare|-missing_\d+_\d+)$/;
const halves = /_([rm])image_\d+$/;

/** `vg--data-home`: a hyphen of their own is doubled. https://man7.org/linux/man-pages/man8/dmsetup.8.html */
export function parseMappedName(name: string): [group: string, volume: string] {
  const [, group = '', volume = ''] = /^((?:[^-]|--)+)-(.+)$/.exec(name) ?? [];
  return [group.replaceAll('--', '-'), volume.replaceAll('--', '-')];
}

function toArray(name: string, devices: LogicalDevice[], all: ReadonlyMap<string, LogicalDevice>): DiskArray {
  const physical = new Set(devices.flatMap(({ below }) => below.filter((device) => !all.has(device))));
  // What stands for a lost drive lies on nothing.
  const lost = devices.filter(
    ({ volume, below }) => /-missing_\d+_\d+$/.test(volume) || (halves.test(volume) && below.length === 0),
  );
  const mirrored = devices.some(({ volume }) => halves.test(volume));
  const members = [...physical].sort().slice(0, mostArrayMembers);
  return {
    name,
    kind: 'lvm',
    level: mirrored ? null : 'linear',
    // Whether the halves of a mirror agree, the kernel tells root only.
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
