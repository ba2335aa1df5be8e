import type { Files } from '../files.ts';
import type { LinkTable } from './link.ts';
import type { Netlink } from './netlink.ts';
import { createLinkTexts } from './proc-net.links.ts';
import { createRtnetlink } from './rtnetlink.ts';

export interface LinkReader {
  read(): Generator<void, LinkTable>;
  close(): void;
}

/** From the kernel's messages; without netlink, or where it fails, from the texts of /proc and /sys. */
export function createLinkReader(files: Files, netlink: Netlink | null): LinkReader {
  const texts = createLinkTexts(files);
  const messages = netlink === null ? null : createRtnetlink(netlink);
  return {
    *read() {
      if (messages !== null) {
        try {
          return yield* messages.read();
        } catch {
          messages.close();
        }
      }
      return texts.read();
    },
    close() {
      messages?.close();
      texts.close();
    },
  };
}
