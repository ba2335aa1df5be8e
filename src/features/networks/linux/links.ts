import type { LinkTable } from '@hostler/netlink/link.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { createRtnetlink } from '@hostler/netlink/rtnetlink.ts';
import type { Files } from '../../../host/linux/files.ts';
import { createLinkTexts } from '../../../host/linux/net/proc-net.links.ts';

/** From netlink; without it, or where it fails, from the texts of /proc and /sys. */
export function createLinkReader(files: Files, netlink: Netlink | null) {
  const texts = createLinkTexts(files);
  const messages = netlink === null ? null : createRtnetlink(netlink);
  return {
    *read(): Generator<void, LinkTable> {
      if (messages !== null) {
        try {
          return yield* messages.read();
        } catch {
          messages.close();
        }
      }
      return texts.read();
    },
    /** Only the counters, by name; empty where they cannot be read. */
    counters: texts.counters,
    close() {
      messages?.close();
      texts.close();
    },
  };
}
