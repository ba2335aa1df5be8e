import type { Place } from '../access/limits/admission-queue.ts';
import type { TrackedSocket } from '../access/limits/connection-limits.ts';
import type { UnreadBudget } from '../access/limits/unread-budget.ts';
import type { ActionDefinition, ActionResult } from './action.ts';
import type { Caller, Connection, PeerEnd } from './caller.ts';
import type { EntityEvent } from './readings/entities.ts';
import type { StoreView } from './store.ts';

/** The route table of HTTP. Each transport adds its paths; the transport that listens is started last. */
export interface RouteTable {
  routes: Map<string, Methods>;
  /** Paths below these, where no exact path matches: for an API whose paths name fields and values. */
  prefixes: Map<string, { methods: Methods /** The rest of the path must not be logged. */; isSecret: boolean }>;
  /** Additional routes on the socket for the commands of this user. */
  local: Map<string, Methods>;
  /** Paths whose connections become WebSockets. */
  upgrades: Map<string, Upgrade>;
  /** What clients of any port have not read yet. */
  unread: UnreadBudget;
  /** What WebSocket clients can listen to besides the modules, by name. */
  feeds: Map<string, Feed>;
  /** Finds the action for a value of an entity; null: no transport offers entities. */
  control: ((key: string, value: unknown) => Promise<EntityCommand>) | null;
  /** Receives the events of WebSocket connections; null: no transport has registered. */
  sockets: SocketHost | null;
  /** The open listener; null: not open yet. */
  listener: HttpListener | null;
  /** Called when another port has opened. */
  listenerChanged: Set<() => void>;
  /** The socket for the commands of this user; null: there is none. */
  commands: string | null;
}

export type Feed = Pick<StoreView, 'get' | 'listen' | 'variant'>;

/** What a value of a control runs, and how its outcomes are shown as events of entities. */
export interface EntityCommand {
  action: ActionDefinition;
  input: Record<string, unknown>;
  onMessage(type: string, data: unknown): EntityEvent | null;
  onDone(result: ActionResult): EntityEvent | null;
}

export interface HttpListener {
  address: string;
  /** Without TLS: the actual port, and whether it is reachable from this machine only. null: not open. */
  plain: { port: number; isLocalOnly: boolean } | null;
  /** With TLS; null: it is not open. */
  securePort(): number | null;
  publish: Publish;
}

/** A request as routes see it. Its path is canonical: the runtime has resolved dots. */
export interface HttpRequest {
  method: string;
  path: string;
  /** The path below which a proxy serves the routes, such as `/hostler`; empty: none. `path` is without it. */
  base: string;
  /** After the question mark, as it was sent. */
  rawQuery: string;
  headers: Headers;
  /** The header X-API-Token, which most requests with a token have. Reading a header once more costs as much as the check of a token. */
  apiToken: string | null;
  connection(): Connection & PeerEnd;
  /** The response may take long or be endless: the connection has no idle timeout. */
  unhurried(): void;
  /** Makes its connection a WebSocket, which holds the place until it has authenticated; false: it is not a valid upgrade. */
  upgrade(peer: SocketPeer, place: Place): boolean;
  raw: Request;
}

export type Handler = (request: HttpRequest) => Response | Promise<Response>;
export type Methods = Partial<Record<string, Handler>>;

/** By their paths. */
export type Routes = Record<string, Methods>;
/** undefined: the connection is a WebSocket now. */
export type Upgrade = (request: HttpRequest) => Response | undefined | Promise<Response | undefined>;

/** A WebSocket of the runtime; the only part of the runtime that transports know. */
export interface Wire {
  /** Nothing is lost as long as the buffer was empty before: the runtime buffers what the system does not take. */
  send(text: string, compress: boolean): unknown;
  /** Bytes that the system has not taken yet. */
  getBufferedAmount(): number;
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  ping(): unknown;
  close(code: number, reason: string): void;
  /** Closes at once, without a close frame. */
  terminate(): void;
}

/** Sends one text to every subscriber of a topic: one frame, built once. */
export type Publish = (topic: string, text: string, compress: boolean) => void;

export interface SocketPeer extends Connection, PeerEnd {
  /** Frames can be compressed: both sides support it, and the network is slow enough for it to pay. */
  compresses: boolean;
  /** Bytes that TLS adds to a message; omitted: without TLS. */
  recordBytes?: number;
  /** Of a valid token in the headers of the upgrade request; omitted: there was none. */
  caller?: Caller;
  /** The software name it reports, shortened; omitted: none. */
  software?: string | null;
  /** Bytes of the longest message it accepts; longer ones would end the connection. */
  longestMessage: number;
}

/** The events of the runtime's connections. They never throw: a throw would end the process. */
export interface WireEvents<S> {
  /** `place` is held until the connection has authenticated. */
  opened(wire: Wire, peer: SocketPeer, place: Place): S;
  received(session: S, frame: unknown): void;
  /** The system took some of the buffered bytes. */
  drained(session: S): void;
  /** Call for every control frame: their number is limited. */
  pinged(session: S): void;
  ponged(session: S): void;
  closed(session: S): void;
}

export interface SocketHost extends WireEvents<object> {
  /** The WebSocket of this peer. It can have one with TLS and one without from the same port. null: there is none. */
  socketAt(end: PeerEnd, isSecure: boolean): TrackedSocket | null;
}

export const createRouteTable = (unread: UnreadBudget): RouteTable => ({
  routes: new Map(),
  prefixes: new Map(),
  local: new Map(),
  upgrades: new Map(),
  unread,
  feeds: new Map(),
  control: null,
  sockets: null,
  listener: null,
  listenerChanged: new Set(),
  commands: null,
});
