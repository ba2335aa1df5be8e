import { IFF_LOOPBACK } from '@hostler/netlink/link.ts';
import type { Files } from '../../../host/linux/files.ts';
import { createLinkTexts } from '../../../host/linux/net/proc-net.links.ts';
import type { InterfaceAddress } from '../../../host/network.ts';

/** The addresses of a machine in another network namespace, from the texts of its first process. */
export function readMachineAddresses(files: Files): InterfaceAddress[] {
  const texts = createLinkTexts(files);
  try {
    const { links, addresses } = texts.read();
    const byIndex = new Map(links.map((link) => [link.index, link]));
    return addresses.flatMap(({ index, family, address, isLinkLocal }): InterfaceAddress[] => {
      const link = byIndex.get(index);
      if (link === undefined) return [];
      const internal = link.flags === null ? link.name === 'lo' : (link.flags & IFF_LOOPBACK) !== 0;
      const scopeId = family === 6 ? (isLinkLocal ? index : 0) : null;
      return [{ interface: link.name, family, address, mac: link.mac ?? '', internal, scopeId }];
    });
  } finally {
    texts.close();
  }
}
