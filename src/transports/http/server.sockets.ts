import type { Server, ServerWebSocket, WebSocketHandler } from 'bun';
import type { Place } from '../../access/limits/admission-queue.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { Publish, SocketPeer, WireEvents } from '../../core/route-table.ts';

export interface SocketData {
  peer: SocketPeer;
  /** null: the session holds it. */
  place: Place | null;
  session: object | null;
}

/** The adapter to the runtime's WebSockets. */
export interface SocketSeam {
  /** null: WebSockets are not served. */
  events(): WireEvents<object> | null;
  attach(server: Server<SocketData>): void;
  detach(server: Server<SocketData>): void;
  publish: Publish;
}

const maxFrameBytes = budgets.all.frameBytes;
/** The outbox sends nothing while data is buffered, so this limit is never reached; it must exceed one message. */
const runtimeBacklogBytes = 64 * 1024 * 1024;

export function createSocketSeam(events: () => WireEvents<object> | null): SocketSeam {
  /** Those of all ports and addresses: one with a replaced certificate keeps its WebSockets. */
  const servers = new Set<Server<SocketData>>();
  return {
    events,
    attach: (server) => void servers.add(server),
    detach: (server) => void servers.delete(server),
    publish(topic, text, compress) {
      for (const server of servers) server.publish(topic, text, compress);
    },
  };
}

export function socketHandlers({ events }: Pick<SocketSeam, 'events'>): WebSocketHandler<SocketData> {
  const withSession = (
    socket: ServerWebSocket<SocketData>,
    work: (host: WireEvents<object>, session: object) => void,
  ) => {
    const host = events();
    if (host !== null && socket.data.session !== null) work(host, socket.data.session);
  };
  return {
    maxPayloadLength: maxFrameBytes,
    backpressureLimit: runtimeBacklogBytes,
    // Our own keep-alive: the runtime counts its own pings as activity.
    idleTimeout: 0,
    sendPings: false,
    perMessageDeflate: true,
    open(socket) {
      const { peer, place } = socket.data;
      if (place === null) return;
      socket.data.place = null;
      socket.data.session = events()?.opened(socket, peer, place) ?? null;
    },
    message: (socket, frame) => withSession(socket, (host, session) => host.received(session, frame)),
    drain: (socket) => withSession(socket, (host, session) => host.drained(session)),
    // The runtime answers pings, even to a client that never reads.
    ping: (socket) => {
      if (socket.getBufferedAmount() > maxFrameBytes) socket.terminate();
      else withSession(socket, (host, session) => host.pinged(session));
    },
    pong: (socket) => withSession(socket, (host, session) => host.ponged(session)),
    close: (socket) => withSession(socket, (host, session) => host.closed(session)),
  };
}
