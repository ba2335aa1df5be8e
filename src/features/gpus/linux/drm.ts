import type { Files } from '../../../host/linux/files.ts';
import { pciAddressIn } from './pci.ts';

/** A device of the kernel's graphics subsystem. https://docs.kernel.org/gpu/drm-internals.html */
export interface DrmDevice {
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

export function drmDevices(files: Files): DrmDevice[] {
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
