import type { Server, ServerWebSocket, WebSocketHandler } from 'bun';
import { budgets } from '../../access/budgets.ts';
import type { Place } from '../../access/door.ts';
import type { Session } from '../ws/session.ts';
import type { Peer, Publish, WireEvents } from '../ws/wire.ts';

export interface SocketData {
  peer: Peer;
  place: Place;
  session: Session | null;
}

/** The seam to the runtime's WebSockets. */
export interface Sockets {
  events: WireEvents<Session>;
  attach(server: Server<SocketData>): void;
}

export interface SocketSide extends Sockets {
  publish: Publish;
  /** Turns a request into a connection; false: it was none for a WebSocket. */
  upgrade(request: Request, peer: Peer, place: Place): boolean;
}

const maxFrameBytes = budgets.all.frameBytes;
/** The outbox gives the runtime nothing while something is left over, so this is never reached; it must only be above one message. */
const runtimeBacklogBytes = 64 * 1024 * 1024;

/** `events` are there when the first connection comes, not before. */
export function createSockets(events: () => WireEvents<Session>): SocketSide {
  let server: Server<SocketData> | null = null;
  return {
    get events() {
      return events();
    },
    attach(started) {
      server = started;
    },
    publish: (topic, text, compress) => void server?.publish(topic, text, compress),
    upgrade(request, peer, place) {
      // Without the wish for compression the runtime agrees to none.
      if (!peer.compresses) request.headers.delete('sec-websocket-extensions');
      return server?.upgrade(request, { data: { peer, place, session: null } }) ?? false;
    },
  };
}

export function socketHandlers(sockets: Sockets): WebSocketHandler<SocketData> {
  const withSession = (socket: ServerWebSocket<SocketData>, work: (session: Session) => void) => {
    if (socket.data.session !== null) work(socket.data.session);
  };
  return {
    maxPayloadLength: maxFrameBytes,
    backpressureLimit: runtimeBacklogBytes,
    // Signs of life are our own: the runtime takes what it sends itself for one.
    idleTimeout: 0,
    sendPings: false,
    perMessageDeflate: true,
    open(socket) {
      socket.data.session = sockets.events.opened(socket, socket.data.peer, socket.data.place);
    },
    message: (socket, frame) => withSession(socket, (session) => sockets.events.received(session, frame)),
    drain: (socket) => withSession(socket, (session) => sockets.events.drained(session)),
    // The runtime answers by itself, also to somebody who never reads the answers.
    ping: (socket) => {
      if (socket.getBufferedAmount() > maxFrameBytes) socket.terminate();
    },
    pong: (socket) => withSession(socket, (session) => sockets.events.ponged(session)),
    close: (socket) => withSession(socket, (session) => sockets.events.closed(session)),
  };
}
