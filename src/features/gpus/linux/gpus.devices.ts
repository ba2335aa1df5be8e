import type { Files } from '../../../host/linux/files.ts';
import { createDisplayDevices, driverOf, type PciDevice, pciAddressIn, readPciDevice } from './pci.ts';

export interface GpuDevice {
  id: string;
  name: string;
  pci: PciDevice | null;
  drm: DrmDevice | null;
  /** null: no driver is bound. */
  driver: string | null;
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

/** A device of the kernel's graphics subsystem. https://docs.kernel.org/gpu/drm-internals.html */
interface DrmDevice {
  /** null: not on the PCI bus. */
  pci: string | null;
  /** The name in the kernel, such as fec00000.v3d. */
  name: string;
  /** Its first directory in /sys/class/drm, such as /sys/class/drm/card0. */
  card: string;
  /** Its files in /dev/dri, such as card0 and renderD128. */
  nodes: string[];
}

const directory = '/sys/class/drm';

function drmDevices(files: Files): DrmDevice[] {
  const devices = new Map<string, DrmDevice>();
  for (const node of files.list(directory)) {
    // Connectors such as card0-DP-1 are listed as well.
    if (!/^(card|renderD)\d+$/.test(node)) continue;
    const parent = files.link(`${directory}/${node}`)?.replace(/\/drm\/[^/]+$/, '');
    if (parent === undefined) continue;
    const known = devices.get(parent);
    if (known === undefined) {
      devices.set(parent, {
        pci: pciAddressIn(parent),
        name: nameIn(parent),
        card: `${directory}/${node}`,
        nodes: [node],
      });
    } else known.nodes.push(node);
  }
  return [...devices.values()];
}

/** The number of a virtio device changes with the next boot. */
function nameIn(parent: string): string {
  const parts = parent.split('/').filter((part) => part !== '' && !/^virtio\d+$/.test(part));
  return parts.at(-1) ?? parent;
}

const databases = ['/usr/share/misc/pci.ids', '/usr/share/hwdata/pci.ids', '/usr/share/pci.ids'];

/** Vendor and name of a device in the PCI id database; null: not installed, or an unknown vendor. */
export function pciName(files: Files, vendor: string, device: string): string | null {
  for (const database of databases) {
    const text = files.text(database);
    const name = text === null ? null : parsePciName(text, vendor, device);
    if (name !== null) return name;
  }
  return null;
}

/** Lines are `vendor  name`, below them with a tab `device  name`. https://pci-ids.ucw.cz */
export function parsePciName(text: string, vendor: string, device: string): string | null {
  const found = entry(text, `\n${vendor}  `, 0, text.length);
  if (found === null) return null;
  const model = entry(text, `\n\t${device}  `, found.end, endOfVendor(text, found.end));
  return model === null ? `${found.name} ${device}` : `${found.name} ${model.name}`;
}

function entry(text: string, start: string, from: number, to: number): { name: string; end: number } | null {
  const at = text.indexOf(start, from);
  if (at < 0 || at >= to) return null;
  const next = text.indexOf('\n', at + 1);
  const end = next < 0 ? text.length : next;
  return { name: text.slice(at + start.length, end).trim(), end };
}

/** The next line that is neither a device of this vendor nor a comment. */
function endOfVendor(text: string, from: number): number {
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
    const first = text[at + 1];
    if (first !== '\t' && first !== '#' && first !== '\n') return at;
  }
  return text.length;
}
