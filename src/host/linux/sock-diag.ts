import { type InetSocket, statusOf } from './inet-socket.ts';
import { ipv4Text, ipv6Text } from './ip-text.ts';
import { type Netlink, NetlinkError, type NetlinkSocket } from './netlink.ts';

/** https://man7.org/linux/man-pages/man7/sock_diag.7.html */
export interface SockDiag {
  /** All of TCP (1) or of UDP (2), IPv4 and IPv6. Throws where the kernel has no such table. */
  read(type: 1 | 2, most: number): Generator<void, InetSocket[]>;
  close(): void;
}

export function createSockDiag(netlink: Netlink): SockDiag {
  const tables = { 1: createTable(1), 2: createTable(2) };
  let knowsBothAtOnce = true;
  let socket: NetlinkSocket | null = null;
  const close = () => {
    socket?.close();
    socket = null;
  };

  /** Whether it got to the end. */
  function* ask({ message, body }: Question, table: SocketTable, sockets: InetSocket[], most: number) {
    socket ??= netlink.open(NETLINK_SOCK_DIAG);
    const answers = socket.ask(message, body, (bytes, at) => {
      if (sockets.length < most) sockets.push(table.take(bytes, at));
    });
    let ended = false;
    try {
      while (sockets.length < most) {
        if (answers.next().done === true) {
          ended = true;
          return;
        }
        yield;
      }
    } finally {
      // What is left of an answer would come first next time.
      if (!ended) close();
    }
  }

  function* askEach(type: 1 | 2, sockets: InetSocket[], most: number) {
    yield* ask(ofFamily(AF_INET, type), tables[type], sockets, most);
    try {
      yield* ask(ofFamily(AF_INET6, type), tables[type], sockets, most);
    } catch (error) {
      // A kernel without IPv6 does not know what is meant.
      if (!(error instanceof NetlinkError)) throw error;
    }
  }

  return {
    *read(type, most) {
      const sockets: InetSocket[] = [];
      if (type === 1 && knowsBothAtOnce) {
        try {
          yield* ask(tcpOfBothFamilies, tables[type], sockets, most);
        } catch (error) {
          if (!(error instanceof NetlinkError)) throw error;
          knowsBothAtOnce = false;
        }
      }
      if (type === 2 || !knowsBothAtOnce) yield* askEach(type, sockets, most);
      tables[type].forgetGone();
      return sockets;
    },
    close,
  };
}

interface Question {
  message: number;
  body: Uint8Array;
}

const NETLINK_SOCK_DIAG = 4;
const TCPDIAG_GETSOCK = 18;
const SOCK_DIAG_BY_FAMILY = 20;
const AF_INET = 2;
const AF_INET6 = 10;
const IPPROTO_TCP = 6;
const IPPROTO_UDP = 17;
/** ESTABLISHED (1) to half-open (12). 13 is bound, but neither connected nor listening: no other tool lists it. */
const listedStates = 0x1ffe;

/** struct inet_diag_req, the older question: the kernel walks through its large table once instead of twice. */
const tcpOfBothFamilies = question(TCPDIAG_GETSOCK, 60, (body) => body.setUint32(52, listedStates, true));

/** struct inet_diag_req_v2 */
function ofFamily(family: number, type: 1 | 2): Question {
  return question(SOCK_DIAG_BY_FAMILY, 56, (body) => {
    body.setUint8(0, family);
    body.setUint8(1, type === 1 ? IPPROTO_TCP : IPPROTO_UDP);
    body.setUint32(4, listedStates, true);
  });
}

function question(message: number, bytes: number, fill: (body: DataView) => void): Question {
  const body = new Uint8Array(bytes);
  fill(new DataView(body.buffer));
  return { message, body };
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
function createTable(type: 1 | 2): SocketTable {
  const known = new Map<number, KnownSocket>();
  let round = 0;
  // Reading these costs a fraction of what a DataView does until that is compiled, which takes minutes at our pace.
  let words = new Uint32Array();

  /** struct inet_diag_msg */
  const parse = (bytes: DataView, at: number): InetSocket => {
    const family = bytes.getUint8(at) === AF_INET ? AF_INET : AF_INET6;
    const remotePort = bytes.getUint16(at + 6);
    return {
      family,
      type,
      local: endpoint(bytes, family, at + 8, bytes.getUint16(at + 4)),
      remote: remotePort === 0 ? null : endpoint(bytes, family, at + 24, remotePort),
      status: statusOf(type, bytes.getUint8(at + 1)),
      inode: bytes.getUint32(at + 68, true),
      uid: bytes.getUint32(at + 64, true),
    };
  };

  return {
    take(bytes, at) {
      if (words.buffer !== bytes.buffer) words = new Uint32Array(bytes.buffer);
      const first = (bytes.byteOffset + at) >> 2;
      const cookie = (words[first + 12] ?? 0) * 0x1_0000_0000 + (words[first + 11] ?? 0);
      const state = bytes.getUint8(at + 1);
      const entry = known.get(cookie);
      if (entry !== undefined && entry.state === state && isSame(entry, words, first)) {
        entry.round = round;
        return entry.socket;
      }
      const socket = parse(bytes, at);
      const [ports = 0] = words.subarray(first + 1);
      const [remote0 = 0, remote1 = 0, remote2 = 0, remote3 = 0] = words.subarray(first + 6);
      known.set(cookie, { socket, state, ports, remote0, remote1, remote2, remote3, round });
      return socket;
    },
    forgetGone() {
      for (const [cookie, entry] of known) if (entry.round !== round) known.delete(cookie);
      round += 1;
    },
  };
}

function isSame(entry: KnownSocket, words: Uint32Array, first: number): boolean {
  return (
    entry.ports === words[first + 1] &&
    entry.remote0 === words[first + 6] &&
    entry.remote1 === words[first + 7] &&
    entry.remote2 === words[first + 8] &&
    entry.remote3 === words[first + 9] &&
    entry.socket.inode === words[first + 17]
  );
}

function endpoint(bytes: DataView, family: 2 | 10, at: number, port: number): string {
  return family === AF_INET ? `${ipv4Text(bytes, at)}:${port}` : `[${ipv6Text(bytes, at)}]:${port}`;
}
