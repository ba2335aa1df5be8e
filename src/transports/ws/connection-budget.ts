import { createAdmissionQueue, type Place } from '../../access/limits/admission-queue.ts';
import { budgets, networkOf } from '../../access/limits/budgets.ts';
import type { TrackedSocket } from '../../access/limits/connection-limits.ts';
import type { Caller, PeerEnd } from '../../core/caller.ts';
import { shownAddress } from '../../core/caller.ts';
import type { Later } from '../../lib/later.ts';
import type { Log } from '../../lib/log.ts';
import { createBuckets } from '../../lib/token-buckets.ts';
import type { SocketSession } from './session.ts';
import { closeCodes } from './wire.ts';

/** What the connections of this API spend of their budgets: places, memory for what they send, memory for what they do not read. */
export interface Spending {
  /** A place; null: refused. A client whose upgrade request carries a valid token needs none of the admission queue. */
  enter(address: string, gone: () => AbortSignal, isAuthenticated: boolean): Later<Place | null>;
  opened(session: SocketSession): void;
  /** A valid token came. False: it has too many connections, and this one was ended. */
  recognised(session: SocketSession, caller: Caller): boolean;
  /** The size of a whole message that came. */
  took(session: SocketSession, frame: unknown): void;
  /** The runtime keeps something for a client that does not read. */
  behind(session: SocketSession): void;
  level(session: SocketSession): void;
  /** Whether a long answer may be sent to it now; to be followed by its delivery. */
  mayHaveLong(session: SocketSession, length: number): boolean;
  hasLong(session: SocketSession, length: number, delivered: Promise<void>): void;
  closed(session: SocketSession): void;
  socketAt(end: PeerEnd, isSecure: boolean): TrackedSocket | null;
}

export interface SpendingParts {
  log: Log;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  drop(session: SocketSession, how: { code: number; reason: string } | null): void;
}

export function createSpending({ log, monotonic, after, drop }: SpendingParts): Spending {
  const queue = createAdmissionQueue(budgets.unauthenticated, { monotonic, after });
  const wasted = createBuckets(budgets.unauthenticated.wasted, monotonic);
  const byPeer = new Map<string, SocketSession>();
  const byToken = new Map<string, number>();
  /** What the runtime keeps for those who do not read, in bytes. */
  const keptFor = new Map<SocketSession, number>();
  /** Long answers on their way, by their length. */
  const longFor = new Map<SocketSession, number>();

  const leaveToken = ({ caller }: SocketSession) => {
    if (caller === null) return;
    const left = (byToken.get(caller.tokenId) ?? 1) - 1;
    if (left === 0) byToken.delete(caller.tokenId);
    else byToken.set(caller.tokenId, left);
  };

  return {
    enter(address, gone, isAuthenticated) {
      if (byPeer.size >= budgets.all.sockets) return null;
      if (isAuthenticated) return noPlace;
      return wasted.has(networkOf(address)) ? queue.enter(address, gone) : null;
    },
    opened(session) {
      byPeer.set(keyOf(session), session);
      session.place.onEvict(() => drop(session, { code: closeCodes.tryLater, reason: 'too many connections' }));
    },
    recognised(session, caller) {
      if (session.caller?.tokenId === caller.tokenId) {
        session.caller = caller;
        return true;
      }
      leaveToken(session);
      session.caller = caller;
      session.place.leave();
      session.place = noPlace;
      const count = (byToken.get(caller.tokenId) ?? 0) + 1;
      byToken.set(caller.tokenId, count);
      if (count <= budgets.caller.sockets) return true;
      drop(session, { code: closeCodes.tryLater, reason: 'too many connections with this token' });
      return false;
    },
    took(session, frame) {
      // Of a compressed message nobody knows how long it was on the way: it does not count.
      if (!session.peer.compresses) session.takenBytes += bytesOf(frame) + (session.peer.recordBytes ?? 0);
    },
    behind(session) {
      keptFor.set(session, session.wire.getBufferedAmount());
      if (sumOf(keptFor) <= budgets.all.unreadBytes) return;
      // The last one too many: the others have what is kept for them already.
      log.debug(`ws: too many clients do not read; one at ${shownAddress(session.peer.address)} was let go`);
      drop(session, null);
    },
    level: (session) => void keptFor.delete(session),
    mayHaveLong: (session, length) => !longFor.has(session) && sumOf(longFor) + length <= budgets.all.unreadBytes,
    hasLong(session, length, delivered) {
      longFor.set(session, length);
      void delivered.then(() => longFor.delete(session));
    },
    closed(session) {
      const key = keyOf(session);
      if (byPeer.get(key) === session) byPeer.delete(key);
      session.place.leave();
      // The runtime inflates compressed messages, a thousand bytes to a megabyte: only the rate of connections bounds that work.
      if (session.caller === null && session.messages > 0) wasted.refuse(networkOf(session.peer.address));
      keptFor.delete(session);
      leaveToken(session);
    },
    socketAt(end, isSecure) {
      const session = byPeer.get(keyAt(end, isSecure));
      if (session === undefined) return null;
      return { authenticated: session.caller !== null, taken: session.takenBytes, drop: () => drop(session, null) };
    },
  };
}

/** Of authenticated connections. One object for all: thousands may stay for months. */
const noPlace: Place = { onEvict() {}, leave() {} };

/** What TLS adds tells that it is there. */
const keyOf = ({ peer }: SocketSession) => keyAt(peer, (peer.recordBytes ?? 0) > 0);
const keyAt = ({ address, port }: PeerEnd, isSecure: boolean) => `${address} ${port} ${isSecure}`;

function bytesOf(frame: unknown): number {
  if (typeof frame === 'string') return Buffer.byteLength(frame);
  return ArrayBuffer.isView(frame) ? frame.byteLength : 0;
}

function sumOf(amounts: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const amount of amounts.values()) sum += amount;
  return sum;
}
