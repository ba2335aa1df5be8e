import type { Place } from '../../access/limits/admission-queue.ts';
import type { Caller } from '../../core/caller.ts';
import type { SocketPeer, Wire } from '../../core/route-table.ts';
import type { StoreView } from '../../core/store.ts';

/** One connection. Plain data, because there may be thousands that do nothing. */
export interface SocketSession {
  wire: Wire;
  peer: SocketPeer;
  /** Behind the last valid token; null: none came yet. */
  caller: Caller | null;
  /** Held until a valid token came. */
  place: Place;
  openedAt: number;
  /** When it last gave a sign of life. */
  heardAt: number;
  /** Requests that are being answered. */
  busy: number;
  listening: SocketListening | null;
  /** How often it began to listen lately. */
  registrations: { since: number; count: number };
  /** What waits because the client does not read; null: nothing does. */
  backlog: Backlog | null;
  /** Whole messages that came, and their bytes. */
  messages: number;
  takenBytes: number;
  closed: boolean;
  /** Aborts when the connection is over; made when an action wants to know. */
  gone: AbortController | null;
}

/** A module as somebody hears it: who sees more of it than others hears it apart from them. */
export interface HeardModule {
  name: string;
  view: Pick<StoreView, 'listen' | 'variant'>;
}

export interface SocketListening {
  caller: Caller;
  /** As they were asked for, and as this caller may see them. */
  modules: readonly HeardModule[];
}

export function createSocketSession(wire: Wire, peer: SocketPeer, place: Place, now: number): SocketSession {
  return {
    wire,
    peer,
    caller: null,
    place,
    openedAt: now,
    heardAt: now,
    busy: 0,
    listening: null,
    registrations: { since: now, count: 0 },
    backlog: null,
    messages: 0,
    takenBytes: 0,
    closed: false,
    gone: null,
  };
}

/**
 * What waits for a client that does not read. The runtime holds at most what was given to it in one turn; everything after that waits
 * here, where a newer update of a module takes the place of an older one.
 */
export interface Backlog {
  answers: string[];
  answersLength: number;
  /** By module; the texts are shared by all who wait for them. */
  updates: Map<string, string>;
  /** Called when there is nothing left. */
  onEmpty: (() => void)[];
}
