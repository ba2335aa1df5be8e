import { ipv4Text, ipv6Text } from '@hostler/netlink/ip-text.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { AF_INET, tcpToPort } from '@hostler/netlink/sock-diag.requests.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { LocalPeer } from '../../socket-inspector.ts';
import { createUnmappedUser } from '../proc/user-namespace.ts';
import { createNetlink } from './netlink.socket.ts';
import type { PeerUser } from './peer-user.ts';

/**
 * The same as createPeerUser, for clients without a token, which may ask as often as they like: one dump answers all that wait, at most one is made in
 * a tenth of a second, and dumps take at most a twentieth of the time.
 */
export function createPeerUsers(
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
  netlink: Netlink = createNetlink(),
): PeerUser {
  let waiting: { name: string; port: number; settle(user: number | null): void }[] = [];
  let notBefore = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | null = null;
  const isUnmappedUser = createUnmappedUser();

  const answer = () => {
    cancelTimer?.();
    cancelTimer = null;
    const asked = waiting;
    waiting = [];
    const begun = monotonic();
    const users = usersOf(netlink, new Set(asked.map(({ port }) => port)));
    notBefore = begun + Math.max(batch.everyMs, (monotonic() - begun) * batch.rest);
    for (const { name, settle } of asked) {
      const user = users.get(name) ?? null;
      settle(user === null || isUnmappedUser(user) ? null : user);
    }
  };

  return (peer, port) =>
    new Promise((settle) => {
      if (waiting.length >= batch.most) return settle(null);
      waiting.push({ name: nameOf(peer.address, peer.port, port), port, settle });
      const wait = notBefore - monotonic();
      // Under a flood, timers of the runtime are seconds late.
      if (wait <= 0) answer();
      else cancelTimer ??= after(wait, answer);
    });
}

/** There are fewer connections: beyond that, users are unknown. */
export const batch = { everyMs: 100, most: 4096, rest: 20 };

const nameOf = (address: string, from: number, to: number) => `${address} ${from} ${to}`;

/** The same for all connections to a port at once, by `address port`. */
export function localPeers(port: number, netlink: Netlink = createNetlink()): Map<string, LocalPeer> {
  const isUnmappedUser = createUnmappedUser();
  const peers = new Map<string, LocalPeer>();
  for (const [name, user] of usersOf(netlink, new Set([port])))
    if (user !== null && !isUnmappedUser(user))
      peers.set(name.slice(0, name.lastIndexOf(' ')), { user, isOurs: user === process.getuid?.() });
  return peers;
}

const NETLINK_SOCK_DIAG = 4;

/** By peer and port of ours; null: several users, or one that is unknown. Empty: a sandbox without netlink. */
function usersOf(netlink: Netlink, ports: ReadonlySet<number>): Map<string, number | null> {
  const users = new Map<string, number | null>();
  try {
    for (const port of ports) {
      const socket = netlink.open(NETLINK_SOCK_DIAG);
      try {
        const { message, body } = tcpToPort(port);
        const pieces = socket.ask(message, body, (bytes, at) => {
          const address = bytes.getUint8(at) === AF_INET ? ipv4Text(bytes, at + 8) : ipv6Text(bytes, at + 8);
          const name = nameOf(address.replace(/^::ffff:/, ''), bytes.getUint16(at + 4), port);
          // A closed one has no inode, and user 0, whatever its owner was.
          const user = bytes.getUint32(at + 68, true) === 0 ? null : bytes.getUint32(at + 64, true);
          users.set(name, users.has(name) && users.get(name) !== user ? null : user);
        });
        while (pieces.next().done !== true);
      } finally {
        socket.close();
      }
    }
  } catch {
    users.clear();
  }
  return users;
}
