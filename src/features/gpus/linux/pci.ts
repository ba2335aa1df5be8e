import type { Files } from '../../../host/linux/files.ts';

/** A device on the PCI bus. https://docs.kernel.org/PCI/sysfs-pci.html */
export interface PciDevice {
  /** Domain, bus, device and function, such as 0000:01:00.0: stable while the card stays in its slot. */
  address: string;
  directory: string;
  /** Four hexadecimal digits each, as in the PCI id database. */
  vendor: string;
  device: string;
}

const devices = '/sys/bus/pci/devices';

const pciDirectory = (address: string) => `${devices}/${address}`;

export function readPciDevice(files: Files, address: string): PciDevice | null {
  const directory = pciDirectory(address);
  const id = (name: string) => files.text(`${directory}/${name}`)?.trim().replace(/^0x/, '');
  const vendor = id('vendor');
  const device = id('device');
  return vendor === undefined || device === undefined ? null : { address, directory, vendor, device };
}

/** Addresses of display and compute devices; reads the class of each device once. */
export function createDisplayDevices(files: Files): () => string[] {
  const classes = new Map<string, string>();
  return () =>
    files.list(devices).filter((address) => {
      const known = classes.get(address) ?? files.text(`${devices}/${address}/class`) ?? '';
      classes.set(address, known);
      return known.startsWith('0x03');
    });
}

/** The last PCI address in a path below /sys/devices: the device that everything below belongs to. */
export function pciAddressIn(path: string): string | null {
  return path.match(/[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/g)?.at(-1) ?? null;
}

export function driverOf(files: Files, directory: string): string | null {
  return files.link(`${directory}/driver`)?.split('/').at(-1) ?? null;
}

const IORESOURCE_MEM = 0x200;
const IORESOURCE_PREFETCH = 0x2000;

const leastWindow = 1024 ** 2;

/** Size of the window onto a card's memory, in bytes; null: none. Smaller windows are for control registers. */
export function memoryWindow(resource: string | null): number | null {
  const windows = (resource ?? '').split('\n').flatMap((line) => {
    const [start = 0, end = 0, flags = 0] = line.split(' ').map(Number);
    const bytes = end - start + 1;
    return (flags & IORESOURCE_MEM) !== 0 && bytes >= leastWindow ? [{ bytes, flags }] : [];
  });
  // Memory is prefetchable; some old cards do not declare it.
  const memory = windows.filter(({ flags }) => (flags & IORESOURCE_PREFETCH) !== 0);
  const sizes = (memory.length > 0 ? memory : windows).map(({ bytes }) => bytes);
  return sizes.length === 0 ? null : Math.max(...sizes);
}
