import { budgets } from '../../access/limits/budgets.ts';
import type { TrackedSocket } from '../../access/limits/connection-limits.ts';
import type { PeerEnd } from '../../core/caller.ts';
import type { ConnectedClient, Deliver } from '../../core/clients.ts';
import type { WireEvents } from '../../core/route-table.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import { type Connections, type ConnectionsParts, createConnections } from './connections.ts';
import { replyText } from './envelope.ts';
import { createResponder, type Respond } from './responder.ts';
import { createSocketSession, type SocketSession } from './session.ts';
import { closeCodes } from './wire.ts';

/** The WebSocket API over all its connections. */
export interface Live extends WireEvents<SocketSession> {
  /** A place for one connection; null: the limit is reached. */
  enter: ConnectionBudget['enter'];
  /** The connection of this peer; null: not connected. */
  socketAt(end: PeerEnd, isSecure: boolean): TrackedSocket | null;
  /** Connections that have shown a token. */
  clients(most: number, now: number): ConnectedClient[];
  deliver: Deliver;
  close(): void;
}

export function createLive(parts: ConnectionsParts): Live {
  const { monotonic } = parts.clock;
  const connections = createConnections(parts);
  const { sessions, budget, outbox, drop, forget, guarded } = connections;
  const respond = createResponder(parts, connections);
  return {
    enter: budget.enter,
    socketAt: budget.socketAt,
    clients: (most, now) => clientsOf(sessions, most, now - monotonic()),
    deliver(tokenId, { type, data }, event) {
      const own = [...sessions].filter(({ caller }) => caller?.tokenId === tokenId);
      for (const session of own) {
        const hasEntities = session.listening?.modules.some(({ name }) => name === 'entities');
        const isEvent = event !== null && hasEntities;
        const text = isEvent ? replyText('', 'ENTITY_EVENT', event) : replyText('', type, data);
        guarded(session, () => outbox.answer(session, text));
      }
      return own.length > 0;
    },
    opened(wire, peer, place) {
      const session = createSocketSession(wire, peer, place, monotonic());
      connections.add(session);
      return session;
    },
    received(session, frame) {
      guarded(session, () => {
        session.lastSeenAt = monotonic();
        if (session.closed) return;
        // Not understood, and as compressed ones they would be limited by nothing while they wait.
        if (typeof frame !== 'string')
          drop(session, { code: closeCodes.unsupported, reason: 'messages are text frames of JSON' });
        else receive(connections, respond, session, frame);
      });
    },
    drained: (session) => guarded(session, () => outbox.drained(session)),
    pinged(session) {
      session.lastSeenAt = monotonic();
      guarded(session, () => receiveControl(connections, session, session.lastSeenAt));
    },
    ponged(session) {
      session.lastSeenAt = monotonic();
      if (!session.awaitsPong) return guarded(session, () => receiveControl(connections, session, session.lastSeenAt));
      session.awaitsPong = false;
    },
    closed: (session) => guarded(session, () => forget(session)),
    close() {
      for (const session of [...sessions])
        drop(session, { code: closeCodes.goingAway, reason: 'the service is stopping' });
    },
  };
}

function receive(
  { budget, workQueue, flooded, drop, guarded }: Connections,
  respond: Respond,
  session: SocketSession,
  frame: string,
): void {
  budget.took(session, frame);
  session.messages++;
  const { length } = frame;
  if (session.caller === null && length > budgets.unauthenticated.messageLength)
    return drop(session, { code: closeCodes.policy, reason: 'a long message before a valid token' });
  if (session.caller === null && session.messages > budgets.unauthenticated.messages)
    return drop(session, { code: closeCodes.policy, reason: 'many messages before a valid token' });
  if (workQueue.run(session, length, () => guarded(session, () => respond(session, frame)))) return;
  if (session.backlog !== null) return flooded(session);
  drop(session, { code: closeCodes.tryLater, reason: 'more messages than can be answered' });
}

/** Counts a ping, or a pong that no ping of ours requested. A flood is terminated: the runtime would read on after a close frame. */
function receiveControl({ drop }: Connections, session: SocketSession, now: number): void {
  if (session.closed) return;
  if (session.caller === null) {
    session.messages++;
    if (session.messages > budgets.unauthenticated.messages) drop(session, null);
    return;
  }
  session.controlsCountedUntil = Math.max(now, session.controlsCountedUntil) + 1000 / budgets.caller.controlFrames;
  if (session.controlsCountedUntil > now + 1000) drop(session, null);
}

/** `offset`: Unix time minus monotonic time, in milliseconds. */
function clientsOf(sessions: Iterable<SocketSession>, most: number, offset: number): ConnectedClient[] {
  const found: ConnectedClient[] = [];
  for (const { caller, peer, openedAt } of sessions) {
    if (caller === null) continue;
    found.push({ caller, software: peer.software ?? null, through: 'websocket', since: offset + openedAt });
    if (found.length >= most) break;
  }
  return found;
}
