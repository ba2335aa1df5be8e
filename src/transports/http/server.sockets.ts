import type { Server, ServerWebSocket, WebSocketHandler } from 'bun';
import type { Place } from '../../access/limits/admission-queue.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { Publish, SocketPeer, WireEvents } from '../../core/route-table.ts';

export interface SocketData {
  peer: SocketPeer;
  /** null: its session has it. */
  place: Place | null;
  session: object | null;
}

/** The seam to the runtime's WebSockets. */
export interface SocketSeam {
  /** null: nobody hears of them, so there are none. */
  events(): WireEvents<object> | null;
  attach(server: Server<SocketData>): void;
  detach(server: Server<SocketData>): void;
  /** A request came by another server than the first one: only that one can make a WebSocket of it. */
  came(request: Request, server: Server<SocketData>): void;
  publish: Publish;
  /** Turns a request into a connection; false: it was none for a WebSocket. */
  upgrade(request: Request, peer: SocketPeer, place: Place): boolean;
}

const maxFrameBytes = budgets.all.frameBytes;
/** The outbox gives the runtime nothing while something is left over, so this is never reached; it must only be above one message. */
const runtimeBacklogBytes = 64 * 1024 * 1024;

export function createSocketSeam(events: () => WireEvents<object> | null): SocketSeam {
  /** The one without TLS, if there is one, and those with it: a server whose certificate was replaced keeps its WebSockets. */
  const servers = new Set<Server<SocketData>>();
  const cameBy = new WeakMap<Request, Server<SocketData>>();
  return {
    events,
    attach: (server) => void servers.add(server),
    detach: (server) => void servers.delete(server),
    came(request, server) {
      if (request.headers.has('upgrade')) cameBy.set(request, server);
    },
    publish(topic, text, compress) {
      for (const server of servers) server.publish(topic, text, compress);
    },
    upgrade(request, peer, place) {
      // Without the wish for compression the runtime agrees to none.
      if (!peer.compresses) request.headers.delete('sec-websocket-extensions');
      const [first] = servers;
      const server = cameBy.get(request) ?? first;
      return server?.upgrade(request, { data: { peer, place, session: null } }) ?? false;
    },
  };
}

export function socketHandlers({ events }: Pick<SocketSeam, 'events'>): WebSocketHandler<SocketData> {
  const withSession = (
    socket: ServerWebSocket<SocketData>,
    work: (hears: WireEvents<object>, session: object) => void,
  ) => {
    const hears = events();
    if (hears !== null && socket.data.session !== null) work(hears, socket.data.session);
  };
  return {
    maxPayloadLength: maxFrameBytes,
    backpressureLimit: runtimeBacklogBytes,
    // Signs of life are our own: the runtime takes what it sends itself for one.
    idleTimeout: 0,
    sendPings: false,
    perMessageDeflate: true,
    open(socket) {
      const { peer, place } = socket.data;
      if (place === null) return;
      socket.data.place = null;
      socket.data.session = events()?.opened(socket, peer, place) ?? null;
    },
    message: (socket, frame) => withSession(socket, (hears, session) => hears.received(session, frame)),
    drain: (socket) => withSession(socket, (hears, session) => hears.drained(session)),
    // The runtime answers by itself, also to somebody who never reads the answers.
    ping: (socket) => {
      if (socket.getBufferedAmount() > maxFrameBytes) socket.terminate();
    },
    pong: (socket) => withSession(socket, (hears, session) => hears.ponged(session)),
    close: (socket) => withSession(socket, (hears, session) => hears.closed(session)),
  };
}
