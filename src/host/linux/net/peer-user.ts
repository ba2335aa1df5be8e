import fs from 'node:fs';
import { ipv4Text, ipv6Text } from '@hostler/netlink/ip-text.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { AF_INET, tcpToPort } from '@hostler/netlink/sock-diag.requests.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { TcpEnd } from '../../peer-user.ts';
import type { LocalPeer } from '../../socket-inspector.ts';
import { createUnmappedUser } from '../proc/user-namespace.ts';
import { createNetlink } from './netlink.socket.ts';

/**
 * The user whose process holds the other end of a TCP connection to this port of ours; null: it is remote, closed, or ambiguous. `batched`: for
 * clients without a token, which may ask as often as they like.
 */
export type PeerUser = (peer: TcpEnd, port: number, how?: 'batched') => Promise<number | null>;

/** By `address port` of the peers of a port; null: several users, or one that is unknown. */
type Users = ReadonlyMap<string, number | null>;

/**
 * Asks the kernel for all sockets that are connected to the port, which exist only in our own network namespace, and for their users.
 * https://man7.org/linux/man-pages/man7/sock_diag.7.html
 *
 * Two users can connect from the same address and port, one to 127.0.0.1 and the other to 127.0.0.5, and the runtime does not report our own address
 * of a connection: so all sockets with that address and port must have the same user.
 *
 * That takes half a millisecond, and an agent with a persistent connection needs it for each message. So the result is valid until the kernel has
 * accepted another connection at any port: before that there can be no other connection with the same addresses.
 */
export function createPeerUser(
  clock: Pick<Clock, 'monotonic' | 'after'>,
  netlink: Netlink = createNetlink(),
  arrivals: () => string | null = countArrivals,
): PeerUser {
  const isUnmappedUser = createUnmappedUser();
  const found = new Map<number, Users>();
  let countedThen: string | null = null;

  const usersNow = (port: number): Users => {
    // Read before the query, so that a connection that arrives meanwhile causes another query.
    const counted = arrivals();
    if (counted === null || counted !== countedThen) found.clear();
    countedThen = counted;
    const users = found.get(port) ?? usersOf(netlink, port);
    if (users !== null && counted !== null) found.set(port, users);
    return users ?? none;
  };

  const usersSoon = createBatch(clock, (port) => usersOf(netlink, port) ?? none);
  return async (peer, port, how) => {
    const users = how === 'batched' ? await usersSoon(port) : usersNow(port);
    const user = users.get(nameOf(peer)) ?? null;
    return user === null || isUnmappedUser(user) ? null : user;
  };
}

/** Beyond `most`, users are unknown: there are fewer connections. Queries take at most one part in `rest` of the time. */
export const batch = { everyMs: 100, most: 4096, rest: 20 };

/** One query answers all that wait, and at most one is made in a tenth of a second. */
function createBatch({ monotonic, after }: Pick<Clock, 'monotonic' | 'after'>, query: (port: number) => Users) {
  let waiting: { port: number; settle(users: Users): void }[] = [];
  let notBefore = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | null = null;

  const answer = () => {
    cancelTimer?.();
    cancelTimer = null;
    const asked = Map.groupBy(waiting, ({ port }) => port);
    waiting = [];
    const begun = monotonic();
    const answers = [...asked].map(([port, those]) => ({ users: query(port), those }));
    notBefore = begun + Math.max(batch.everyMs, (monotonic() - begun) * batch.rest);
    for (const { users, those } of answers) for (const { settle } of those) settle(users);
  };

  return (port: number): Promise<Users> =>
    new Promise((settle) => {
      if (waiting.length >= batch.most) return settle(none);
      waiting.push({ port, settle });
      const wait = notBefore - monotonic();
      // Under a flood, timers of the runtime are seconds late.
      if (wait <= 0) answer();
      else cancelTimer ??= after(wait, answer);
    });
}

/** Those of all connections to a port, by `address port`. */
export function localPeers(port: number, netlink: Netlink): Map<string, LocalPeer> {
  const isUnmappedUser = createUnmappedUser();
  const peers = new Map<string, LocalPeer>();
  for (const [name, user] of usersOf(netlink, port) ?? none)
    if (user !== null && !isUnmappedUser(user)) peers.set(name, { user, isOurs: user === process.getuid?.() });
  return peers;
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
const none: Users = new Map();
const nameOf = ({ address, port }: TcpEnd) => `${address} ${port}`;

/** null: a sandbox without netlink, or a kernel without such messages. A new socket for each query: after an error a socket is unusable. */
function usersOf(netlink: Netlink, port: number): Users | null {
  const users = new Map<string, number | null>();
  try {
    const socket = netlink.open(NETLINK_SOCK_DIAG);
    try {
      const { message, body } = tcpToPort(port);
      const pieces = socket.ask(message, body, (bytes, at) => {
        const text = bytes.getUint8(at) === AF_INET ? ipv4Text(bytes, at + 8) : ipv6Text(bytes, at + 8);
        const name = nameOf({ address: text.replace(/^::ffff:/, ''), port: bytes.getUint16(at + 4) });
        // A closed one has no inode, and user 0, whatever its owner was.
        const user = bytes.getUint32(at + 68, true) === 0 ? null : bytes.getUint32(at + 64, true);
        users.set(name, users.has(name) && users.get(name) !== user ? null : user);
      });
      while (pieces.next().done !== true);
    } finally {
      socket.close();
    }
    return users;
  } catch {
    return null;
  }
}
