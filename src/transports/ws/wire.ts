import type { Place } from '../../access/door.ts';
import type { Connection, PeerEnd } from '../../core/caller.ts';

/** One connection as the runtime has it; the only thing the rest of this folder knows of the runtime. */
export interface Wire {
  /** Nothing is lost as long as nothing was left over before: what the system does not take at once is kept by the runtime. */
  send(text: string, compress: boolean): unknown;
  /** Bytes that the system has not taken yet. */
  getBufferedAmount(): number;
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  ping(): unknown;
  close(code: number, reason: string): void;
  /** At once, without a word. */
  terminate(): void;
}

/** Sends one text to every subscriber of a topic: one frame, built once. */
export type Publish = (topic: string, text: string, compress: boolean) => void;

/** What the runtime tells of its connections. Nothing here ever throws: a throw would end the process. */
export interface WireEvents<S> {
  /** `place`: what it holds until it has shown a token. */
  opened(wire: Wire, peer: Peer, place: Place): S;
  received(session: S, frame: unknown): void;
  /** The system took some of what was left over. */
  drained(session: S): void;
  ponged(session: S): void;
  closed(session: S): void;
}

/** Who is at the other end. */
export interface Peer extends Connection, PeerEnd {
  /** Frames can be compressed: both sides can, and the way is long enough for it to pay. */
  compresses: boolean;
  /** Bytes of the longest message it takes; longer ones would end the connection. */
  longestMessage: number;
}

/** What clients of the family take at least; updates of modules stay below it for everybody. */
export const commonLimit = 4 * 1024 * 1024;

/** Whether a text is longer in UTF-8 than a limit, without counting where the length already says it. */
export function exceeds(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

/** Close codes of https://www.rfc-editor.org/rfc/rfc6455#section-7.4 */
export const closeCodes = { goingAway: 1001, policy: 1008, internal: 1011, tryLater: 1013 } as const;
