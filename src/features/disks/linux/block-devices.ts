import type { Files } from '../../../host/linux/files.ts';
import type { DiskStat } from './diskstats.ts';

export type Disk = ReturnType<typeof readDisk>;

export type BlockDevices = ReturnType<typeof readBlockDevices>;

const directory = '/sys/block';

/** How block devices are stacked: partitions, device mapper (LVM, LUKS), RAID, loops. */
export function readBlockDevices(files: Files, stats: readonly DiskStat[]) {
  const names = new Set(stats.map(({ name }) => name));
  const byNumbers = new Map(stats.map(({ device, name }) => [device, name]));
  const disks = new Map<string, Disk>();
  for (const { name } of stats) if (wholeOf(name, names) === name) disks.set(name, readDisk(files, name));
  const mapped = new Map([...disks.values()].map(({ name, label }) => [`/dev/mapper/${label}`, name]));

  const diskOf = (name: string, passed: readonly string[] = []): Disk => {
    const whole = wholeOf(name, names);
    const disk = disks.get(whole) ?? readDisk(files, whole);
    if (!stacked.test(whole) || passed.includes(whole)) return disk;
    const below = files.list(`${directory}/${whole}/slaves`).map((slave) => diskOf(slave, [...passed, whole]));
    const [first, ...others] = below;
    return first !== undefined && others.every((other) => other.name === first.name) ? first : disk;
  };

  return {
    disks: [...disks.values()],
    /** Name of the device with these numbers, or else with this path; null: unknown. */
    find(device: string, source: string): string | null {
      const path = source.split(':')[0] ?? '';
      const named = (file: string) => (names.has(nameIn(file)) ? nameIn(file) : null);
      return (
        byNumbers.get(device) ??
        mapped.get(path) ??
        (path.startsWith('/dev/') ? (named(path) ?? named(files.link(path) ?? '')) : null)
      );
    },
    /** The disk of a device: itself if it is a disk, or if it spans several. */
    diskOf: (name: string) => diskOf(name),
  };
}

/** Composed of other devices, which the kernel lists. */
const stacked = /^(dm-\d|md|bcache\d|drbd\d)/;
/** Not hardware, or a second path to it. */
const virtual = /^(dm-\d|md|bcache\d|drbd\d|loop\d|ram\d|zram\d|zd\d|nvme\d+c\d+n\d+$)/;
/** Usually empty, or a part of a chip that only its firmware uses. */
const seldom = /^(sr\d|fd\d|mtdblock\d|mmcblk\d+(boot|rpmb|gp))/;

/** A whole disk: hardware, or composed of several disks or a file. */
function readDisk(files: Files, name: string) {
  const place = `${directory}/${name}`;
  const real = !virtual.test(name);
  const sectors = real ? files.text(`${place}/size`)?.trim() : undefined;
  return {
    /** The kernel name: `nvme0n1`. */
    name,
    /** The display name: a volume over several disks has a stable one. */
    label: (name.startsWith('dm-') ? files.text(`${place}/dm/name`)?.trim() : undefined) ?? name,
    /** Hardware, possibly emulated. Its counters are not included in another disk. */
    real,
    /** Whether it is listed while nothing on it is mounted. */
    listed: real && !seldom.test(name) && sectors !== '0',
    /** Attached by a cable or a slot. */
    removable: real && (files.text(`${place}/removable`)?.trim() === '1' || isOnUsb(files, place)),
  };
}

const isOnUsb = (files: Files, place: string) => /\/usb\d/.test(files.link(place) ?? '');

/** Partitions have the name of their disk and a number, with a p between if that ends with a number itself. */
function wholeOf(name: string, names: ReadonlySet<string>): string {
  const [, disk = name] = /^(.*\d)p\d+$/.exec(name) ?? /^(.*\D)\d+$/.exec(name) ?? [];
  return names.has(disk) ? disk : name;
}

const nameIn = (file: string) => file.slice(file.lastIndexOf('/') + 1);
