import type { InetSocket } from '@hostler/netlink/inet-socket.ts';
import { type EachMessage, type Netlink, NetlinkError, type NetlinkSocket } from '@hostler/netlink/netlink.ts';
import { createTcpConnections } from '@hostler/netlink/sock-diag.connections.ts';
import {
  AF_INET,
  AF_INET6,
  allTcp,
  listeningTcp,
  ofFamily,
  type SocketQuery,
} from '@hostler/netlink/sock-diag.requests.ts';
import { createSocketTable } from '@hostler/netlink/sock-diag.table.ts';
import type { Files } from '../../../host/linux/files.ts';
import { netDirectory } from '../../../host/linux/net/proc-net.ts';
import { createSocketCensus } from './socket-counts.ts';

/** https://man7.org/linux/man-pages/man7/sock_diag.7.html */
export function createSockDiag(netlink: Netlink, files: Files, now: () => number) {
  const tables = { 1: createSocketTable(1), 2: createSocketTable(2) };
  const census = createSocketCensus(files, netDirectory(files));
  const known = createTcpConnections();
  let knowsBothAtOnce = true;
  let socket: NetlinkSocket | null = null;

  const opened = (): NetlinkSocket => {
    socket ??= netlink.open(NETLINK_SOCK_DIAG);
    return socket;
  };
  const close = () => {
    socket?.close();
    socket = null;
  };

  /** Returns at most this many. */
  function* ask({ message, body }: SocketQuery, most: number, take: EachMessage): Generator<void, void> {
    let count = 0;
    const answers = opened().ask(message, body, (...entry) => {
      if (count < most) take(...entry);
      count += 1;
    });
    let ended = false;
    try {
      while (count < most) {
        if (answers.next().done === true) {
          ended = true;
          return;
        }
        yield;
      }
    } finally {
      // The rest of an answer would come first next time.
      if (!ended) close();
    }
  }

  function* askEach(type: 1 | 2, most: number): Generator<void, InetSocket[]> {
    const sockets: InetSocket[] = [];
    const take: EachMessage = (bytes, at) => sockets.push(tables[type].take(bytes, at));
    yield* ask(ofFamily(AF_INET, type), most, take);
    try {
      yield* ask(ofFamily(AF_INET6, type), most - sockets.length, take);
    } catch (error) {
      // A kernel without IPv6 rejects the request.
      if (!(error instanceof NetlinkError)) throw error;
    }
    return sockets;
  }

  /** The kernel scans a hash table sized for the maximum of connections, which may be slow. */
  function* walkTcp(most: number): Generator<void, InetSocket[]> {
    const sockets: InetSocket[] = [];
    const begun = now();
    known.clear();
    try {
      yield* ask(allTcp, most, (bytes, at) => {
        known.add(bytes, at);
        sockets.push(tables[1].take(bytes, at));
      });
    } catch (error) {
      if (!(error instanceof NetlinkError)) throw error;
      knowsBothAtOnce = false;
      return yield* askEach(1, most);
    }
    known.complete(now() - begun, () => census.tcp() === sockets.length);
    return sockets;
  }

  /** The sockets are the same if their number and each connection are unchanged. null: they are not. */
  function* recheckTcp(queries: SocketQuery[][]): Generator<void, InetSocket[] | null> {
    const sockets: InetSocket[] = [];
    const take: EachMessage = (bytes, at) => sockets.push(tables[1].take(bytes, at));
    try {
      yield* ask(listeningTcp, Number.POSITIVE_INFINITY, take);
      if (census.tcp() !== sockets.length + known.size()) return null;
      for (const some of queries) {
        opened().find(some, take);
        yield;
      }
      return sockets;
    } catch {
      close();
      return null;
    }
  }

  return {
    /** All of TCP (1) or of UDP (2), IPv4 and IPv6. Throws if the kernel has no such table. */
    *read(type: 1 | 2, most: number): Generator<void, InetSocket[]> {
      // This table is sized for the maximum too: it is skipped while the count is zero.
      if (type === 2 && census.udp() === 0) {
        tables[2].forgetGone();
        return [];
      }
      let sockets: InetSocket[] | null = null;
      const queries = known.queries();
      if (type === 1 && queries !== null) sockets = yield* recheckTcp(queries);
      sockets ??= yield* type === 1 && knowsBothAtOnce ? walkTcp(most) : askEach(type, most);
      tables[type].forgetGone();
      return sockets;
    },
    close() {
      close();
      census.close();
    },
  };
}

const NETLINK_SOCK_DIAG = 4;
