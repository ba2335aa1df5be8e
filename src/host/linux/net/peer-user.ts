import type { Netlink } from '../../../protocols/netlink/netlink.ts';
import { AF_INET, AF_INET6, aboutOne, identityBytes } from '../../../protocols/netlink/sock-diag.questions.ts';
import { addressBytes } from '../../ip-address.ts';
import type { TcpEnd } from '../../peer-user.ts';
import { isUnmappedUser } from '../proc/user-namespace.ts';

/** The user whose process holds the other end of a TCP connection to us; null: it is elsewhere, or was closed. */
export type PeerUser = (peer: TcpEnd, own: TcpEnd) => Promise<number | null>;

/**
 * Asks the kernel for the socket at the other end: it has one only if that end is in our own network namespace, and knows who made it.
 * https://man7.org/linux/man-pages/man7/sock_diag.7.html
 */
export function createPeerUser(load: () => Promise<Netlink> = loadNetlink): PeerUser {
  let loading: Promise<Netlink> | null = null;
  return async (peer, own) => {
    try {
      // Binding the functions takes 2 ms, a question 0.1 ms.
      loading ??= load();
      const netlink = await loading;
      for (const address of possibleTargets(peer.address, own.address)) {
        const user = findUser(netlink, peer, { address, port: own.port });
        if (user !== null) return isUnmappedUser(user) ? null : user;
      }
    } catch {
      // A sandbox without netlink, or a kernel without such messages: nobody can say.
    }
    return null;
  };
}

/** Our own network, whatever HOSTLER_PROC shows. */
async function loadNetlink(): Promise<Netlink> {
  return (await import('./netlink.socket.ts')).createNetlink();
}

/** Which of our addresses was called is not known to us, but there are few: Debian's own name for a machine is 127.0.1.1. */
function possibleTargets(peer: string, own: string): Set<string> {
  return new Set(peer.includes(':') ? [peer, own, '::1'] : [peer, own, '127.0.0.1', '127.0.1.1']);
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
