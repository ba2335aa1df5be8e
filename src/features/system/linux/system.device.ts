import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { unknownDevice } from '../system.empty.ts';
import type { DeviceInfo } from '../system.schema.ts';
import { type DeviceTree, readDeviceTree } from './device-tree.ts';
import { openDmi } from './dmi.ts';

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
