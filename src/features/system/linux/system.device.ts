import { explainNulls, type Reasons } from '../../../core/reasons.ts';
import type { Files } from '../../../host/linux/files.ts';
import { capitalised } from '../../../lib/capitalised.ts';
import { unknownDevice } from '../system.empty.ts';
import { chassisTypes, isPlaceholder } from '../system.firmware-strings.ts';
import type { DeviceInfo } from '../system.schema.ts';

/** The device: PCs identify it by DMI, boards by their device tree. */
export function readDevice(files: Files, reasons: Reasons): DeviceInfo {
  const explained = (device: DeviceInfo, sentence: string) => {
    explainNulls([device], 'device_info', () => sentence, reasons.inherent);
    return device;
  };
  const dmi = readDmi(files);
  if (dmi !== null) return explained(dmi, 'The manufacturer left this empty in the firmware (DMI)');
  const tree = readDeviceTree(files);
  if (tree !== null) return explained(tree, 'The device tree does not contain it, and there is no DMI');
  reasons.inherent(
    'device_info',
    'This machine has neither DMI (/sys/class/dmi/id) nor a device tree that identifies it',
  );
  return unknownDevice;
}

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

/** Of a machine without PC firmware. https://www.devicetree.org/specifications/ */
function readDeviceTree(files: Files): DeviceInfo | null {
  const property = (name: string) => {
    // Strings end with a NUL, and lists of strings are separated by it.
    const [first = ''] = (files.text(`/proc/device-tree/${name}`) ?? '').split('\0');
    return first.trim() || null;
  };
  const model = property('model');
  // The vendor prefix, such as raspberrypi.
  const [vendor = null] = property('compatible')?.split(',') ?? [];
  // Virtual machines are linux,dummy-virt, without a manufacturer.
  if (model === null && (vendor === null || vendor === 'linux')) return null;
  const manufacturer = vendor === null ? null : (makers[vendor] ?? vendor);
  const chassis = property('chassis-type');
  return { ...unknownDevice, manufacturer, model, chassis_type: chassis === null ? null : capitalised(chassis) };
}

const directory = '/sys/class/dmi/id';

/** Of a PC, by its firmware. null: no such firmware. */
function readDmi(files: Files): DeviceInfo | null {
  if (files.list(directory).length === 0) return null;
  const read = (name: string) => files.text(`${directory}/${name}`)?.trim() ?? '';
  const known = (name: string) => (isPlaceholder(read(name)) ? null : read(name));
  return {
    manufacturer: known('sys_vendor'),
    model: known('product_name'),
    version: known('product_version'),
    board_vendor: known('board_vendor'),
    board_name: known('board_name'),
    bios_vendor: known('bios_vendor'),
    bios_version: known('bios_version'),
    // The highest bit is set if there is a lock.
    chassis_type: chassisTypes[Number(read('chassis_type')) & 0x7f] ?? null,
  };
}
