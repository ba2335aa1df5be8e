import { type InetProtocol, type InetSocket, statusOf } from './inet-socket.ts';
import { ipv4Text, ipv6Text } from './ip-text.ts';
import type { Netlink, NetlinkSocket } from './netlink.ts';

/** https://man7.org/linux/man-pages/man7/sock_diag.7.html */
export interface SockDiag {
  /** Throws where the kernel has no such table. */
  read(protocol: InetProtocol, most: number): Generator<void, InetSocket[]>;
  close(): void;
}

export function createSockDiag(netlink: Netlink): SockDiag {
  const tables = new Map<string, SocketTable>();
  let socket: NetlinkSocket | null = null;
  const close = () => {
    socket?.close();
    socket = null;
  };
  return {
    *read(protocol, most) {
      const table = tables.get(protocol.name) ?? createTable(protocol);
      tables.set(protocol.name, table);
      const sockets: InetSocket[] = [];
      socket ??= netlink.open(NETLINK_SOCK_DIAG);
      const steps = socket.ask(SOCK_DIAG_BY_FAMILY, requestFor(protocol), (bytes, at) => {
        if (sockets.length < most) sockets.push(table.take(bytes, at));
      });
      try {
        while (steps.next().done !== true) {
          // The rest of the answer would come first next time.
          if (sockets.length >= most) return sockets;
          yield;
        }
      } catch (error) {
        close();
        throw error;
      } finally {
        table.forgetGone();
        if (sockets.length >= most) close();
      }
      return sockets;
    },
    close,
  };
}

const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const IPPROTO_TCP = 6;
const IPPROTO_UDP = 17;
/** ESTABLISHED (1) to half-open (12). 13 is bound, but neither connected nor listening: no other tool lists it. */
const listedStates = 0x1ffe;

/** struct inet_diag_req_v2 */
function requestFor({ family, type }: InetProtocol): Uint8Array {
  const request = new DataView(new ArrayBuffer(56));
  request.setUint8(0, family);
  request.setUint8(1, type === 1 ? IPPROTO_TCP : IPPROTO_UDP);
  request.setUint32(4, listedStates, true);
  return new Uint8Array(request.buffer);
}

interface SocketTable {
  take(bytes: DataView, at: number): InetSocket;
  /** Forgets those that were not taken since it was called last. */
  forgetGone(): void;
}

interface KnownSocket {
  socket: InetSocket;
  state: number;
  ports: number;
  remote0: number;
  remote1: number;
  remote2: number;
  remote3: number;
  round: number;
}

/** Nearly all sockets are what they were: the number the kernel gives each tells, and its texts need not be made again. */
function createTable({ family, type }: InetProtocol): SocketTable {
  const known = new Map<number, KnownSocket>();
  let round = 0;

  const endpoint = (bytes: DataView, at: number, port: number) =>
    family === 2 ? `${ipv4Text(bytes, at)}:${port}` : `[${ipv6Text(bytes, at)}]:${port}`;

  /** struct inet_diag_msg */
  const parse = (bytes: DataView, at: number): InetSocket => {
    const remotePort = bytes.getUint16(at + 6);
    return {
      family,
      type,
      local: endpoint(bytes, at + 8, bytes.getUint16(at + 4)),
      remote: remotePort === 0 ? null : endpoint(bytes, at + 24, remotePort),
      status: statusOf(type, bytes.getUint8(at + 1)),
      inode: bytes.getUint32(at + 68, true),
      uid: bytes.getUint32(at + 64, true),
    };
  };

  return {
    take(bytes, at) {
      const cookie = bytes.getUint32(at + 48, true) * 0x1_0000_0000 + bytes.getUint32(at + 44, true);
      const state = bytes.getUint8(at + 1);
      const ports = bytes.getUint32(at + 4);
      const remote0 = bytes.getUint32(at + 24);
      const remote1 = bytes.getUint32(at + 28);
      const remote2 = bytes.getUint32(at + 32);
      const remote3 = bytes.getUint32(at + 36);
      const entry = known.get(cookie);
      if (
        entry !== undefined &&
        entry.state === state &&
        entry.ports === ports &&
        entry.remote0 === remote0 &&
        entry.remote1 === remote1 &&
        entry.remote2 === remote2 &&
        entry.remote3 === remote3 &&
        entry.socket.inode === bytes.getUint32(at + 68, true)
      ) {
        entry.round = round;
        return entry.socket;
      }
      const socket = parse(bytes, at);
      known.set(cookie, { socket, state, ports, remote0, remote1, remote2, remote3, round });
      return socket;
    },
    forgetGone() {
      for (const [cookie, entry] of known) if (entry.round !== round) known.delete(cookie);
      round += 1;
    },
  };
}
