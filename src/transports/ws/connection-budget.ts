import { createAdmissionQueue, type Place } from '../../access/limits/admission-queue.ts';
import { budgets, networkOf } from '../../access/limits/budgets.ts';
import type { TrackedSocket } from '../../access/limits/connection-limits.ts';
import type { UnreadBudget } from '../../access/limits/unread-budget.ts';
import { type Caller, type PeerEnd, shareIdOf, shownAddress } from '../../core/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Later, mapLater } from '../../lib/later.ts';
import type { Log } from '../../lib/log.ts';
import { createBuckets } from '../../lib/token-buckets.ts';
import type { Drop, SocketSession } from './session.ts';
import { closeCodes } from './wire.ts';

export interface LongAnswer {
  /** Right before it is sent: from then on it counts as what was sent. */
  sending(): void;
  delivered(): void;
}

export interface ConnectionBudgetParts {
  log: Log;
  unread: UnreadBudget;
  clock: Pick<Clock, 'monotonic' | 'after'>;
  drop: Drop;
}

export type ConnectionBudget = ReturnType<typeof createConnectionBudget>;

/** The budgets of connections: places, memory for received messages, memory for unread messages. */
export function createConnectionBudget({ log, unread, clock, drop }: ConnectionBudgetParts) {
  const queue = createAdmissionQueue(budgets.unauthenticated, clock);
  const ownQueue = createAdmissionQueue(budgets.unauthenticated.ownUser, clock);
  const wasted = createBuckets(budgets.unauthenticated.wasted, clock.monotonic);
  const byPeer = new Map<string, SocketSession>();
  const byToken = new Map<string, number>();
  /** Release the bytes that the runtime buffers. */
  const keptFor = new Map<SocketSession, () => void>();
  /** Connections with an undelivered long answer. */
  const longFor = new Set<SocketSession>();

  const level = (session: SocketSession) => {
    keptFor.get(session)?.();
    keptFor.delete(session);
  };

  const leaveToken = ({ caller }: SocketSession) => {
    if (caller === null) return;
    const share = shareIdOf(caller);
    const left = (byToken.get(share) ?? 1) - 1;
    if (left === 0) byToken.delete(share);
    else byToken.set(share, left);
  };

  return {
    /**
     * A place; null: refused. A client with a valid token in its upgrade request does not enter an admission queue. `ownShare`: what it counts for
     * when its network has no free place; null: its network. Other users of this machine, who have many networks, cannot use up what ours has.
     */
    enter(
      address: string,
      gone: () => AbortSignal,
      isAuthenticated: boolean,
      ownShare: () => Later<string | null> = () => null,
    ): Later<Place | null> {
      if (byPeer.size >= budgets.all.sockets) return null;
      if (isAuthenticated) return noPlace;
      const network = networkOf(address);
      const place = wasted.has(network) ? queue.enterAtOnce(network) : null;
      if (place !== null) return place;
      // Created before the share is known: the client may leave meanwhile.
      const signal = gone();
      return mapLater(ownShare(), (share) => {
        if (!wasted.has(share ?? network)) return null;
        return (share === ownUser ? ownQueue : queue).enter(share ?? network, () => signal);
      });
    },
    opened(session: SocketSession) {
      byPeer.set(keyOf(session), session);
      session.place.onEvict(() => drop(session, { code: closeCodes.tryLater, reason: 'too many connections' }));
    },
    /** A valid token was received. False: it has too many connections, and this one was closed. */
    recognised(session: SocketSession, caller: Caller): boolean {
      if (session.caller?.tokenId === caller.tokenId) {
        session.caller = caller;
        return true;
      }
      leaveToken(session);
      session.caller = caller;
      session.place.leave();
      session.place = noPlace;
      const count = (byToken.get(shareIdOf(caller)) ?? 0) + 1;
      byToken.set(shareIdOf(caller), count);
      if (count <= budgets.caller.sockets) return true;
      drop(session, { code: closeCodes.tryLater, reason: 'too many connections with this token' });
      return false;
    },
    took(session: SocketSession, frame: string) {
      // The transferred size of a compressed message is unknown: it does not count.
      if (!session.peer.compresses) session.takenBytes += Buffer.byteLength(frame) + (session.peer.recordBytes ?? 0);
    },
    /** The runtime buffers data for a client that does not read. */
    behind(session: SocketSession): void {
      level(session);
      const release = unread.hold(readerOf(session), session.wire.getBufferedAmount());
      if (release !== null) return void keptFor.set(session, release);
      // Drops the connection that exceeded the limit; the data of the others is buffered already.
      log.debug(`ws: too many clients do not read; one at ${shownAddress(session.peer.address)} was disconnected`);
      drop(session, null);
    },
    level,
    /** Counts a text that waits for a client; null: too much does. */
    hold: (session: SocketSession, what: string | number) => unread.hold(readerOf(session), what),
    /** The place of a connection for one long answer. null: it is taken, or too much is unread. */
    takeLong(session: SocketSession, length: number): LongAnswer | null {
      const sending = longFor.has(session) ? null : unread.hold(readerOf(session), length);
      if (sending === null) return null;
      longFor.add(session);
      return {
        sending,
        delivered() {
          sending();
          longFor.delete(session);
        },
      };
    },
    closed(session: SocketSession) {
      const key = keyOf(session);
      if (byPeer.get(key) === session) byPeer.delete(key);
      session.place.leave();
      // The runtime inflates compressed messages, a thousand bytes to a megabyte, and answers pings: only the connection rate bounds that work.
      if (session.caller === null) wasted.refuse(session.place.network);
      level(session);
      leaveToken(session);
    },
    socketAt(end: PeerEnd, isSecure: boolean): TrackedSocket | null {
      const session = byPeer.get(keyAt(end, isSecure));
      if (session === undefined) return null;
      return { authenticated: session.caller !== null, taken: session.takenBytes, drop: () => drop(session, null) };
    },
  };
}

/** The share of processes of our own user. */
export const ownUser = 'own user';

/** For authenticated connections. One shared object: thousands may stay open for months. */
const noPlace: Place = { network: '', onEvict() {}, leave() {} };

/** A peer with TLS has record overhead. */
const keyOf = ({ peer }: SocketSession) => keyAt(peer, (peer.recordBytes ?? 0) > 0);
const keyAt = ({ address, port }: PeerEnd, isSecure: boolean) => `${address} ${port} ${isSecure}`;

/** Whose share of the unread bytes it has. */
const readerOf = ({ caller, peer }: SocketSession) => (caller === null ? networkOf(peer.address) : shareIdOf(caller));
