import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { findDriveTemperatures } from '../../../host/linux/storage/drive-temperatures.ts';
import { type BlockDevices, readBlockDevices } from './block-devices.ts';
import type { DiskStat } from './diskstats.ts';
import type { AskableDrive } from './drive-health.ts';

/** The disks of the machine; changes rarely. */
export interface DiskLayout {
  blocks: BlockDevices;
  /** Files with the temperature of a disk, by its name. */
  sensors: Map<string, string>;
  /** Disks that have a sensor, but no driver that reads it. */
  undriven: string[];
  /** Disks that may report their health; the same object as long as they are the same. */
  askable: AskableDrive[];
  /** All block devices, by their kernel names. */
  names: string[];
}

/** A newly loaded driver or an extended volume is found after this time. */
const longestMs = 60_000;

/** Read again when disks are added or removed, and at intervals. */
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
  // If the driver is loaded and serves other disks, a disk without a sensor file has none.
  const isServed = (name: string) =>
    [...sensors.keys()].some((other) => isNvme(other) === isNvme(name)) ||
    (!isNvme(name) && files.exists('/sys/module/drivetemp'));
  const undriven = silent.map(({ name }) => name).filter((name) => canMeasure(files, name) && !isServed(name));
  const numbers = new Map(stats.map(({ name, device }) => [name, device]));
  const askable = blocks.disks.flatMap(({ name, listed }) =>
    listed && mayKnowHealth.test(name) ? [{ name, numbers: numbers.get(name) ?? '', kind: kindOf(files, name) }] : [],
  );
  return { blocks, sensors, undriven, askable, names: stats.map(({ name }) => name) };
}

export const isNvme = (name: string) => name.startsWith('nvme');

/** Disks of virtual machines, cards and the network have no SMART data. */
const mayKnowHealth = /^(sd|nvme)/;

/** USB and SCSI drives have vendor-specific commands. */
function kindOf(files: LinuxHost['files'], name: string): AskableDrive['kind'] {
  if (isNvme(name)) return 'nvme';
  return files.text(`/sys/block/${name}/device/vendor`)?.trim() === 'ATA' ? 'ata' : null;
}

/** ATA and NVMe drives have a sensor; sticks, cards and virtual disks do not. */
function canMeasure(files: LinuxHost['files'], name: string): boolean {
  if (isNvme(name)) return true;
  const about = (key: string) => files.text(`/sys/block/${name}/device/${key}`)?.trim() ?? '';
  return about('vendor') === 'ATA' && !/^(QEMU|VBOX|Virtual)/i.test(about('model'));
}
