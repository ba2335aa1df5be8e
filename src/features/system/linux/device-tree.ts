import type { Files } from '../../../host/linux/files.ts';

/** Identification of a machine without PC firmware. https://www.devicetree.org/specifications/ */
export interface DeviceTree {
  model: string | null;
  /** Vendor prefix in `compatible`, such as raspberrypi. */
  vendor: string | null;
  chassisType: string | null;
}

export function readDeviceTree(files: Files): DeviceTree | null {
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
