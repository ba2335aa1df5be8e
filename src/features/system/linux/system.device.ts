import type { Reasons } from '../../../core/reasons.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { unknownDevice } from '../system.empty.ts';
import { chassisTypes, isPlaceholder } from '../system.firmware-strings.ts';
import type { DeviceInfo } from '../system.schema.ts';

/** The device: PCs identify it by DMI, boards by their device tree. */
export function readDevice(files: LinuxHost['files'], reasons: Reasons): DeviceInfo {
  const dmi = openDmi(files);
  if (dmi !== null) {
    const device: DeviceInfo = {
      manufacturer: dmi.get('sys_vendor'),
      model: dmi.get('product_name'),
      version: dmi.get('product_version'),
      board_vendor: dmi.get('board_vendor'),
      board_name: dmi.get('board_name'),
      bios_vendor: dmi.get('bios_vendor'),
      bios_version: dmi.get('bios_version'),
      chassis_type: dmi.chassisType(),
    };
    explain(device, reasons, 'The manufacturer left this empty in the firmware (DMI)');
    return device;
  }
  const tree = readDeviceTree(files);
  if (tree !== null) {
    const device = fromDeviceTree(tree);
    explain(device, reasons, 'The device tree does not contain it, and there is no DMI');
    return device;
  }
  reasons.inherent(
    'device_info',
    'This machine has neither DMI (/sys/class/dmi/id) nor a device tree that identifies it',
  );
  return unknownDevice;
}

function fromDeviceTree({ vendor, model, chassisType }: DeviceTree): DeviceInfo {
  return {
    ...unknownDevice,
    manufacturer: vendor === null ? null : (makers[vendor] ?? vendor),
    model,
    chassis_type: chassisType === null ? null : capitalized(chassisType),
  };
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Manufacturers of common boards; others are named by their prefix. */
const makers: Record<string, string> = {
  apple: 'Apple',
  friendlyarm: 'FriendlyElec',
  google: 'Google',
  hardkernel: 'Hardkernel',
  lenovo: 'Lenovo',
  libretech: 'Libre Computer',
  nvidia: 'NVIDIA',
  pine64: 'Pine64',
  radxa: 'Radxa',
  raspberrypi: 'Raspberry Pi',
  starfive: 'StarFive',
  xunlong: 'Xunlong',
};

function explain(device: DeviceInfo, reasons: Reasons, sentence: string): void {
  for (const [name, value] of Object.entries(device)) {
    if (value === null) reasons.inherent(`device_info.${name}`, sentence);
  }
}

/** Identification of a machine without PC firmware. https://www.devicetree.org/specifications/ */
interface DeviceTree {
  model: string | null;
  /** Vendor prefix in `compatible`, such as raspberrypi. */
  vendor: string | null;
  chassisType: string | null;
}

function readDeviceTree(files: Files): DeviceTree | null {
  const property = (name: string) => {
    // Strings end with a NUL, and lists of strings are separated by it.
    const [first = ''] = (files.text(`/proc/device-tree/${name}`) ?? '').split('\0');
    return first.trim() || null;
  };
  const model = property('model');
  const [vendor = null] = property('compatible')?.split(',') ?? [];
  // Virtual machines are linux,dummy-virt, without a manufacturer.
  if (model === null && (vendor === null || vendor === 'linux')) return null;
  return { model, vendor, chassisType: property('chassis-type') };
}

/** Identification of a PC by its firmware. null: no such firmware. */
interface Dmi {
  /** null: empty, or a placeholder. */
  get(name: DmiName): string | null;
  /** The name of the type in SMBIOS. */
  chassisType(): string | null;
}

type DmiName =
  | 'sys_vendor'
  | 'product_name'
  | 'product_version'
  | 'board_vendor'
  | 'board_name'
  | 'bios_vendor'
  | 'bios_version';

const directory = '/sys/class/dmi/id';

function openDmi(files: Files): Dmi | null {
  if (files.list(directory).length === 0) return null;
  const read = (name: string) => files.text(`${directory}/${name}`)?.trim() ?? '';
  return {
    get(name) {
      const value = read(name);
      return isPlaceholder(value) ? null : value;
    },
    // The highest bit is set if there is a lock.
    chassisType: () => chassisTypes[Number(read('chassis_type')) & 0x7f] ?? null,
  };
}
