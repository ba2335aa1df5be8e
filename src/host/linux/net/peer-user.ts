import fs from 'node:fs';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { AF_INET, AF_INET6, aboutOne, identityBytes } from '@hostler/netlink/sock-diag.requests.ts';
import { addressBytes } from '../../../lib/ip-address.ts';
import type { TcpEnd } from '../../peer-user.ts';
import type { SocketInspector } from '../../socket-inspector.ts';
import { createUnmappedUser } from '../proc/user-namespace.ts';

/** The user whose process holds the other end of a TCP connection to this port of ours; null: it is remote, closed, or ambiguous. */
export type PeerUser = (peer: TcpEnd, port: number) => Promise<number | null>;

/**
 * Queries the kernel for the socket at the other end, which exists only in our own network namespace, and for its user.
 * https://man7.org/linux/man-pages/man7/sock_diag.7.html
 *
 * The runtime does not report our own address of a connection, so our sockets are inspected. Guessing would be wrong: two users can connect from
 * the same address and port, one to 127.0.0.1 and the other to 127.0.0.5. With several connections, all must have the same user.
 *
 * That takes 0.2 ms, and 3 ms with a thousand open files; an agent with a persistent connection needs it for each message. So the result is valid
 * until the kernel has accepted another connection at any port: before that there can be no other connection with the same addresses.
 */
export function createPeerUser(
  load: () => Promise<PeerUserParts> = loadParts,
  arrivals: () => string | null = countArrivals,
): PeerUser {
  let loading: Promise<PeerUserParts> | null = null;
  let countedThen: string | null = null;
  const found = new Map<string, number>();
  const isUnmappedUser = createUnmappedUser();
  return async (peer, port) => {
    try {
      // Read before the search, so that a connection that arrives meanwhile causes another search.
      const counted = arrivals();
      if (counted === null || counted !== countedThen) found.clear();
      countedThen = counted;
      const name = `${peer.address} ${peer.port} ${port}`;
      const known = found.get(name);
      if (known !== undefined) return known;
      // Binding the functions takes 2 ms.
      loading ??= load();
      const { netlink, inspector } = await loading;
      const called = inspector?.addressesCalledBy(peer, port) ?? [];
      const [user = null, ...others] = new Set(called.map((address) => findUser(netlink, peer, { address, port })));
      if (user === null || others.length > 0 || isUnmappedUser(user)) return null;
      if (counted !== null && counted === countedThen) found.set(name, user);
      return user;
    } catch {
      // A sandbox without netlink, or a kernel without such messages: unknown.
      return null;
    }
  };
}

export interface PeerUserParts {
  netlink: Netlink;
  inspector: Pick<SocketInspector, 'addressesCalledBy'> | null;
}

/** Our own network, whatever HOSTLER_PROC shows. */
async function loadParts(): Promise<PeerUserParts> {
  const [{ createNetlink }, { openSocketInspector }] = await Promise.all([
    import('./netlink.socket.ts'),
    import('./socket-inspector.ts'),
  ]);
  return { netlink: createNetlink(), inspector: openSocketInspector() };
}

/** The kernel's count of accepted connections in this network namespace. https://docs.kernel.org/networking/snmp_counter.html */
export function countArrivals(): string | null {
  try {
    const [, names, counts] = fs.readFileSync('/proc/net/snmp', 'latin1').split('\nTcp: ');
    const column = names?.split(' ').indexOf('PassiveOpens') ?? -1;
    // 0: not counted, since there was at least one connection.
    const count = counts?.split(' ')[column] ?? null;
    return count === '0' ? null : count;
  } catch {
    return null;
  }
}

const NETLINK_SOCK_DIAG = 4;

/** A new socket for each query: after an error a socket is unusable. */
function findUser(netlink: Netlink, from: TcpEnd, to: TcpEnd): number | null {
  const identity = identityOf(from, to);
  if (identity === null) return null;
  const socket = netlink.open(NETLINK_SOCK_DIAG);
  let user: number | null = null;
  try {
    socket.find([aboutOne(identity)], (bytes, at) => {
      // For a missing connection the kernel may return the listener on that port. A closed one has no inode, and
      // user 0, whatever its owner was.
      const isTheOne = bytes.getUint16(at + 4) === from.port && bytes.getUint16(at + 6) === to.port;
      if (isTheOne && bytes.getUint32(at + 68, true) !== 0) user = bytes.getUint32(at + 64, true);
    });
  } catch {
    return null;
  } finally {
    socket.close();
  }
  return user;
}

/** The beginning of struct inet_diag_msg: ports and addresses as seen from the other end, and no cookie. null: not valid addresses. */
function identityOf(from: TcpEnd, to: TcpEnd): Uint8Array | null {
  const source = addressBytes(from.address);
  const target = addressBytes(to.address);
  if (source === null || target === null || source.length !== target.length) return null;
  const identity = new Uint8Array(identityBytes);
  const view = new DataView(identity.buffer);
  view.setUint8(0, source.length === 4 ? AF_INET : AF_INET6);
  view.setUint16(4, from.port);
  view.setUint16(6, to.port);
  identity.set(source, 8);
  identity.set(target, 24);
  identity.fill(0xff, 44);
  return identity;
}
