import type { Files, KeptFile } from '../files.ts';
import { type InetProtocol, type InetSocket, inetProtocols } from './inet-socket.ts';
import type { Netlink } from './netlink.ts';
import { netDirectory, parseSockets } from './proc-net.ts';
import { createSockDiag } from './sock-diag.ts';

export interface InetSockets {
  sockets: InetSocket[];
  /** There are more than were asked for. */
  cut: boolean;
  /** Tables of IPv4 that could not be read. */
  missing: string[];
}

export interface InetSocketReader {
  read(most: number): Generator<void, InetSockets>;
  close(): void;
}

/** From the kernel's messages; without netlink, or where the kernel has no such messages, from the texts of /proc/net. */
export function createInetSocketReader(files: Files, netlink: Netlink | null): InetSocketReader {
  const diag = netlink === null ? null : createSockDiag(netlink);
  const directory = netDirectory(files);
  const texts = new Map<string, KeptFile>();

  const readText = ({ name }: InetProtocol) => {
    const file = texts.get(name) ?? files.keep(`${directory}/${name}`);
    texts.set(name, file);
    return file.text();
  };

  function* readTable(protocol: InetProtocol, most: number): Generator<void, InetSocket[] | null> {
    if (diag !== null) {
      try {
        return yield* diag.read(protocol, most);
      } catch {
        // Built without this table, or without IPv6: the text may be there, or is missing for the same reason.
      }
    }
    const text = readText(protocol);
    return text === null ? null : parseSockets(text, protocol, most);
  }

  return {
    *read(most) {
      const sockets: InetSocket[] = [];
      const missing: string[] = [];
      for (const protocol of inetProtocols) {
        const table = yield* readTable(protocol, most + 1 - sockets.length);
        yield;
        if (table !== null) for (const socket of table) sockets.push(socket);
        // A kernel without IPv6 is complete without its tables.
        else if (protocol.family === 2) missing.push(protocol.name);
      }
      const cut = sockets.length > most;
      if (cut) sockets.length = most;
      return { sockets, cut, missing };
    },
    close() {
      diag?.close();
      for (const file of texts.values()) file.close();
    },
  };
}
