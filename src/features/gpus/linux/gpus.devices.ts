import type { Files } from '../../../host/linux/files.ts';
import { type DrmDevice, drmDevices } from './drm.ts';
import { createDisplayDevices, driverOf, type PciDevice, readPciDevice } from './pci.ts';
import { pciName } from './pci-names.ts';

export interface GpuDevice {
  id: string;
  name: string;
  pci: PciDevice | null;
  drm: DrmDevice | null;
  /** null: no driver is bound. */
  driver: string | null;
  /** The directory of its attributes. */
  directory: string;
}

/** GPUs known to the kernel: graphics cards on the PCI bus, and render devices elsewhere. */
export function createGpuDevices(files: Files): () => GpuDevice[] {
  const displayDevices = createDisplayDevices(files);
  const names = new Map<string, string>();

  const nameOf = ({ vendor, device }: PciDevice): string => {
    const key = `${vendor}:${device}`;
    const name = names.get(key) ?? pciName(files, vendor, device) ?? `PCI device ${key}`;
    names.set(key, name);
    return name;
  };

  const onPci = (address: string, drm: DrmDevice | null): GpuDevice[] => {
    const pci = readPciDevice(files, address);
    if (pci === null) return [];
    const { directory } = pci;
    const name = files.text(`${directory}/product_name`)?.trim() || nameOf(pci);
    return [{ id: address, name, pci, drm, driver: driverOf(files, directory), directory }];
  };

  return () => {
    const drm = drmDevices(files);
    const byAddress = new Map(displayDevices().map((address) => [address, null as DrmDevice | null]));
    // Compute-only cards are no display devices, but their driver is a graphics driver.
    for (const device of drm) if (device.pci !== null) byAddress.set(device.pci, device);
    const elsewhere = drm.filter((device) => device.pci === null && computes(device));
    return [
      ...[...byAddress].flatMap(([address, device]) => onPci(address, device)),
      ...elsewhere.map((device) => onBoard(files, device)),
    ];
  };
}

/** Without a render node it only displays; the kernel's test devices render on the CPU. */
function computes({ nodes, name }: DrmDevice): boolean {
  return nodes.some((node) => node.startsWith('renderD')) && !/^(vgem|vkms)/.test(name);
}

function onBoard(files: Files, drm: DrmDevice): GpuDevice {
  const directory = `${drm.card}/device`;
  const driver = driverOf(files, directory);
  // From the device tree, such as brcm,2711-v3d.
  const model = /^OF_COMPATIBLE_0=(.+)$/m.exec(files.text(`${directory}/uevent`) ?? '')?.[1];
  const name = model === undefined ? (driver ?? drm.name) : `${driver ?? drm.name} (${model})`;
  return { id: drm.name, name, pci: null, drm, driver, directory };
}
