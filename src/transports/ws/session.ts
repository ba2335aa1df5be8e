import type { Place } from '../../access/limits/admission-queue.ts';
import type { Caller } from '../../core/caller.ts';
import type { SocketPeer, Wire } from '../../core/route-table.ts';
import type { StoreView } from '../../core/store.ts';

/** Closes a connection; null: without a close message. */
export type Drop = (session: SocketSession, how: { code: number; reason: string } | null) => void;

/** One connection. Plain data: thousands may be idle. */
export interface SocketSession {
  wire: Wire;
  peer: SocketPeer;
  /** The owner of the last valid token; null: none yet. */
  caller: Caller | null;
  /** Held until a valid token is received. */
  place: Place;
  openedAt: number;
  /** Time of the last message or pong. */
  lastSeenAt: number;
  busy: number;
  listening: SocketListening | null;
  /** Recent registrations. */
  registrations: { since: number; count: number };
  /** Unsent messages of a client that does not read; null: none. */
  backlog: Backlog | null;
  /** Received messages and, before a valid token, control frames. */
  messages: number;
  takenBytes: number;
  /** A ping was sent, and its pong has not arrived. */
  awaitsPong: boolean;
  /** Control frames after a valid token: each adds its share of a second; a second ahead of the clock is the limit. */
  controlsCountedUntil: number;
  closed: boolean;
  /** Aborts when the connection closes; created on first use. */
  gone: AbortController | null;
}

/** A module in the view of a caller: callers with different views get different updates. */
export interface ListenedModule {
  name: string;
  view: Pick<StoreView, 'listen' | 'variant'>;
  /** As requested; undefined: at the usual interval. */
  everyMs: number | undefined;
}

export interface SocketListening {
  caller: Caller;
  /** As requested, in the view of this caller. */
  modules: readonly ListenedModule[];
}

export function createSocketSession(wire: Wire, peer: SocketPeer, place: Place, now: number): SocketSession {
  return {
    wire,
    peer,
    caller: null,
    place,
    openedAt: now,
    lastSeenAt: now,
    busy: 0,
    listening: null,
    registrations: { since: now, count: 0 },
    backlog: null,
    messages: 0,
    takenBytes: 0,
    awaitsPong: false,
    controlsCountedUntil: now,
    closed: false,
    gone: null,
  };
}

/**
 * Unsent messages of a client that does not read. The runtime holds at most what it was given in one turn; everything later waits
 * here, where a newer update of a module replaces an older one.
 */
export interface Backlog {
  answers: Unsent[];
  answersLength: number;
  /** By module; waiting clients share the texts. */
  updates: Map<string, Unsent>;
  onEmpty: (() => void)[];
}

export interface Unsent {
  text: string;
  /** Takes it out of the budget of unread texts. */
  release(): void;
}
