import { type InetSocket, socketStatusOf } from './inet-socket.ts';
import { ipv4Text, ipv6Text } from './ip-text.ts';
import { AF_INET, AF_INET6 } from './sock-diag.requests.ts';

export interface SocketTable {
  /** From a message (struct inet_diag_msg). */
  take(bytes: DataView, at: number): InetSocket;
  /** Drops the sockets that were not taken since the last call. */
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

/** Most sockets are unchanged: their cookie identifies them, and their texts are reused. */
export function createSocketTable(type: 1 | 2): SocketTable {
  const known = new Map<number, KnownSocket>();
  let round = 0;
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
      const socket = parseSocket(bytes, at, type);
      known.set(cookie, { socket, state, ports, remote0, remote1, remote2, remote3, round });
      return socket;
    },
    forgetGone() {
      for (const [cookie, entry] of known) if (entry.round !== round) known.delete(cookie);
      round += 1;
    },
  };
}

function parseSocket(bytes: DataView, at: number, type: 1 | 2): InetSocket {
  const family = bytes.getUint8(at) === AF_INET ? AF_INET : AF_INET6;
  const remotePort = bytes.getUint16(at + 6);
  return {
    family,
    type,
    local: endpoint(bytes, family, at + 8, bytes.getUint16(at + 4)),
    remote: remotePort === 0 ? null : endpoint(bytes, family, at + 24, remotePort),
    status: socketStatusOf(type, bytes.getUint8(at + 1)),
    inode: bytes.getUint32(at + 68, true),
    uid: bytes.getUint32(at + 64, true),
  };
}

function endpoint(bytes: DataView, family: 2 | 10, at: number, port: number): string {
  return family === AF_INET ? `${ipv4Text(bytes, at)}:${port}` : `[${ipv6Text(bytes, at)}]:${port}`;
}
