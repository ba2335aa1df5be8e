import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { findDriveTemperatures } from '../../../host/linux/storage/drive-temperatures.ts';
import { type BlockDevices, readBlockDevices } from './block-devices.ts';
import type { DiskStat } from './diskstats.ts';
import type { AskableDrive } from './drive-health.ts';

/** What the machine is made of; changes seldom. */
export interface DiskLayout {
  blocks: BlockDevices;
  /** Files with the temperature of a disk, by its name. */
  sensors: Map<string, string>;
  /** Disks that could tell their temperature, if the kernel asked them. */
  unasked: string[];
  /** Disks that may know how they are; the same object as long as they are the same. */
  askable: AskableDrive[];
  /** All block devices, by the kernel's names. */
  names: string[];
}

/** A driver that was loaded meanwhile, or a volume that was extended, is seen after this. */
const longestMs = 60_000;

/** Looked at again when disks come or go, and now and then. */
export function createDiskLayout({ files, clock }: LinuxHost): (stats: readonly DiskStat[]) => DiskLayout {
  let last: { devices: string; at: number; layout: DiskLayout } | null = null;
  return (stats) => {
    const devices = stats.map(({ device, name }) => `${device} ${name}`).join();
    if (last === null || last.devices !== devices || clock.monotonic() - last.at > longestMs) {
      last = { devices, at: clock.monotonic(), layout: readLayout(files, stats) };
    }
    return last.layout;
  };
}

function readLayout(files: LinuxHost['files'], stats: readonly DiskStat[]): DiskLayout {
  const blocks = readBlockDevices(files, stats);
  const sensors = findDriveTemperatures(files);
  const silent = blocks.disks.filter(({ name, listed }) => listed && !sensors.has(name));
  // Where a driver is at work for others, or has nothing to say of them, the rest cannot be helped.
  const isServed = (name: string) =>
    [...sensors.keys()].some((other) => isNvme(other) === isNvme(name)) ||
    (!isNvme(name) && files.exists('/sys/module/drivetemp'));
  const unasked = silent.map(({ name }) => name).filter((name) => canMeasure(files, name) && !isServed(name));
  const numbers = new Map(stats.map(({ name, device }) => [name, device]));
  const askable = blocks.disks.flatMap(({ name, listed }) =>
    listed && mayKnowHealth.test(name) ? [{ name, numbers: numbers.get(name) ?? '', kind: kindOf(files, name) }] : [],
  );
  return { blocks, sensors, unasked, askable, names: stats.map(({ name }) => name) };
}

export const isNvme = (name: string) => name.startsWith('nvme');

/** Those of virtual machines, cards and the network are not drives that keep such records. */
const mayKnowHealth = /^(sd|nvme)/;

/** Behind USB and SCSI each maker has words of his own. */
function kindOf(files: LinuxHost['files'], name: string): AskableDrive['kind'] {
  if (isNvme(name)) return 'nvme';
  return files.text(`/sys/block/${name}/device/vendor`)?.trim() === 'ATA' ? 'ata' : null;
}

/** Drives with an ATA or NVMe interface can; sticks, cards and what a virtual machine has cannot. */
function canMeasure(files: LinuxHost['files'], name: string): boolean {
  if (isNvme(name)) return true;
  const about = (key: string) => files.text(`/sys/block/${name}/device/${key}`)?.trim() ?? '';
  return about('vendor') === 'ATA' && !/^(QEMU|VBOX|Virtual)/i.test(about('model'));
}
