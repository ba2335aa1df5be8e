import type { InetSocket } from '@hostler/netlink/inet-socket.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import type { Files, PersistentFile } from '../../../host/linux/files.ts';
import { netDirectory, parseSockets } from '../../../host/linux/net/proc-net.ts';
import { createSockDiag } from './sock-diag.ts';

const protocols = [
  { type: 1, ipv4: 'tcp', ipv6: 'tcp6' },
  { type: 2, ipv4: 'udp', ipv6: 'udp6' },
] as const;

/** From sock_diag; without netlink, or on a kernel that lacks it, from the texts of /proc/net. */
export function createInetSocketReader(files: Files, netlink: Netlink | null, now: () => number) {
  const diag = netlink === null ? null : createSockDiag(netlink, files, now);
  const directory = netDirectory(files);
  const openFiles = new Map<string, PersistentFile>();

  const readText = (name: string): string | null => {
    const file = openFiles.get(name) ?? files.keep(`${directory}/${name}`);
    openFiles.set(name, file);
    return file.text();
  };

  function* readProtocol({ type, ipv4, ipv6 }: (typeof protocols)[number], most: number) {
    if (diag !== null) {
      try {
        return yield* diag.read(type, most);
      } catch {
        // The kernel lacks sock_diag, or messages were lost: the text has the same data.
      }
    }
    const text4 = readText(ipv4);
    if (text4 === null) return null;
    const sockets = parseSockets(text4, { family: 2, type }, most);
    yield;
    // Missing without IPv6.
    const text6 = readText(ipv6) ?? '';
    return [...sockets, ...parseSockets(text6, { family: 10, type }, most - sockets.length)];
  }

  return {
    /** `cut`: there are more than `most`. `missing`: tables that could not be read, by their names in /proc/net. */
    *read(most: number) {
      const sockets: InetSocket[] = [];
      const missing: string[] = [];
      for (const protocol of protocols) {
        // One more than the limit shows that there are more.
        const table = yield* readProtocol(protocol, most + 1 - sockets.length);
        yield;
        if (table === null) missing.push(protocol.ipv4);
        else for (const socket of table) sockets.push(socket);
      }
      const cut = sockets.length > most;
      if (cut) sockets.length = most;
      return { sockets, cut, missing };
    },
    close() {
      diag?.close();
      for (const file of openFiles.values()) file.close();
    },
  };
}
