import type { Place } from '../access/limits/admission-queue.ts';
import type { TrackedSocket } from '../access/limits/connection-limits.ts';
import type { Later } from '../lib/later.ts';
import type { Caller, Connection, PeerEnd } from './caller.ts';

/** The way in over HTTP, for everybody who answers there. A transport puts its paths here; the one that listens comes last. */
export interface Entrance {
  /** Every path there is, exactly. */
  routes: Map<string, Methods>;
  /** What the commands of this user find on their socket, beside what is always there. */
  local: Map<string, Methods>;
  /** Paths whose connections become WebSockets. */
  upgrades: Map<string, Upgrade>;
  /** Hears of the connections that became WebSockets; null: nobody does. */
  sockets: SocketHost | null;
  /** Where it is, once it is open. */
  door: Door | null;
  /** Called when another port has opened. */
  doorChanged: Set<() => void>;
  /** Where the commands of this user come in; null: nowhere. */
  commands: string | null;
}

export interface Door {
  address: string;
  /** Without TLS: the port it really has, and whether only this machine reaches it. null: there is none. */
  plain: { port: number; isLocalOnly: boolean } | null;
  /** With TLS; null: it is not open. */
  securePort(): number | null;
  publish: Publish;
  /** Turns a request into a WebSocket; false: it was none for that. */
  upgrade(request: Request, peer: SocketPeer, place: Place): boolean;
}

/** A request as routes see it. Its path is canonical: the runtime has resolved dots and cannot be asked for another one. */
export interface HttpRequest {
  method: string;
  path: string;
  /** After the question mark, as it was sent. */
  rawQuery: string;
  headers: Headers;
  connection(): Connection & PeerEnd;
  /** The answer may take its time, or go on for ever: the connection is not ended for being silent. */
  unhurried(): void;
  raw: Request;
}

export type Handler = (request: HttpRequest) => Response | Promise<Response>;
export type Methods = Partial<Record<string, Handler>>;
/** Nothing: the connection is a WebSocket now. */
export type Upgrade = (request: HttpRequest) => Later<Response | undefined>;

/** One WebSocket as the runtime has it; the only thing that transports know of the runtime. */
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

/** Who is at the other end of a WebSocket. */
export interface SocketPeer extends Connection, PeerEnd {
  /** Frames can be compressed: both sides can, and the way is long enough for it to pay. */
  compresses: boolean;
  /** Bytes that TLS adds to a message on its way; left out: it came without. */
  recordBytes?: number;
  /** Of a valid token in the headers of the upgrade request; left out: there was none. */
  caller?: Caller;
  /** What it calls itself, cut short; left out: nothing. */
  software?: string | null;
  /** Bytes of the longest message it takes; longer ones would end the connection. */
  longestMessage: number;
}

/** What the runtime tells of its connections. Nothing here ever throws: a throw would end the process. */
export interface WireEvents<S> {
  /** `place` is held until the connection has shown a token. */
  opened(wire: Wire, peer: SocketPeer, place: Place): S;
  received(session: S, frame: unknown): void;
  /** The system took some of what was left over. */
  drained(session: S): void;
  ponged(session: S): void;
  closed(session: S): void;
}

export interface SocketHost extends WireEvents<object> {
  /** The WebSocket of this peer. It can have one with TLS and one without from the same port. null: there is none. */
  socketAt(end: PeerEnd, isSecure: boolean): TrackedSocket | null;
}

export const createEntrance = (): Entrance => ({
  routes: new Map(),
  local: new Map(),
  upgrades: new Map(),
  sockets: null,
  door: null,
  doorChanged: new Set(),
  commands: null,
});
