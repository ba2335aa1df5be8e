import fs from 'node:fs';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { AF_INET, AF_INET6, aboutOne, identityBytes } from '@hostler/netlink/sock-diag.requests.ts';
import { addressBytes } from '../../../lib/ip-address.ts';
import type { TcpEnd } from '../../peer-user.ts';
import type { SocketInspector } from '../../socket-inspector.ts';
import { createUnmappedUser } from '../proc/user-namespace.ts';

/** The user whose process holds the other end of a TCP connection to this port of ours; null: it is elsewhere, was closed, or is not the only one. */
export type PeerUser = (peer: TcpEnd, port: number) => Promise<number | null>;

/**
 * Asks the kernel for the socket at the other end: it has one only if that end is in our own network namespace, and knows who made it.
 * https://man7.org/linux/man-pages/man7/sock_diag.7.html
 *
 * The runtime does not say which address of ours was called, so our own sockets are asked. Guessing it would be wrong: two users can connect from
 * the same address and port, one to 127.0.0.1 and the other to 127.0.0.5. Where there are several, all have to be of the same user.
 *
 * That takes 0.2 ms, and 3 ms where a thousand files are open; an agent that keeps its connection asks with each message. So what was found holds
 * until the kernel has let anybody in at any port: without that there is neither another connection nor another one of the same name.
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
      // Counted before it is looked: who comes meanwhile makes it look again.
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
      // A sandbox without netlink, or a kernel without such messages: nobody can say.
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

/** How many connections this network has ever let in, as the kernel counts them. https://docs.kernel.org/networking/snmp_counter.html */
export function countArrivals(): string | null {
  try {
    const [, names, counts] = fs.readFileSync('/proc/net/snmp', 'latin1').split('\nTcp: ');
    const column = names?.split(' ').indexOf('PassiveOpens') ?? -1;
    // 0: it does not count them; there has been one at least, or nobody would ask.
    const count = counts?.split(' ')[column] ?? null;
    return count === '0' ? null : count;
  } catch {
    return null;
  }
}

const NETLINK_SOCK_DIAG = 4;

/** Another socket for each question: after a refusal one is of no use. */
function findUser(netlink: Netlink, from: TcpEnd, to: TcpEnd): number | null {
  const identity = identityOf(from, to);
  if (identity === null) return null;
  const socket = netlink.open(NETLINK_SOCK_DIAG);
  let user: number | null = null;
  try {
    socket.find([aboutOne(identity)], (bytes, at) => {
      // A connection that is not there may be answered with whoever listens on that port. One that was closed has no inode, and
      // user 0, whoever it belonged to.
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

/** The beginning of struct inet_diag_msg: ports and addresses as seen from the other end, and no cookie. null: not such addresses. */
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
