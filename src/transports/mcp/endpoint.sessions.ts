import type { StreamParts } from '@hostler/mcp/event-stream.ts';
import type { Message } from '@hostler/mcp/messages.ts';
import type { McpServer } from '@hostler/mcp/server.ts';
import { createSession, type McpSession } from '@hostler/mcp/session.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { validMs } from './consent.client-prompt.ts';
import { atExpiry, type OpenClient } from './endpoint.listening.ts';
import type { Watches } from './endpoint.watches.ts';
import type { Followed } from './server.ts';

export interface AgentSessionParts {
  clock: Clock;
  makeServer(caller: Caller, followed: Followed): McpServer;
  watches: Watches;
  streams: StreamParts;
  opened(client: OpenClient): () => void;
}

export const maxSessions = budgets.all.agentSessions;
export const idleMs = 10 * 60_000;
const sweepEveryMs = 60_000;
const maxFollowed = 64;

interface AgentSession extends OpenClient {
  usedAt: number;
  /** Whether a client holds the update stream. */
  streaming: boolean;
  answer: McpSession['answer'];
}

/** The sessions of the older protocol. Each belongs to the token that began it. */
export function createSessions(parts: AgentSessionParts) {
  const { monotonic, after } = parts.clock;
  const sessions = new Map<string, AgentSession>();
  let cancelSweep: (() => void) | null = null;
  const drop = (id: string) => {
    if (!sessions.delete(id) || sessions.size > 0) return;
    cancelSweep?.();
    cancelSweep = null;
  };
  const sweep = () => {
    cancelSweep = null;
    for (const { streaming, usedAt, close } of sessions.values())
      if (!streaming && monotonic() - usedAt >= idleMs) close();
    if (sessions.size > 0) cancelSweep = after(sweepEveryMs, sweep);
  };
  /** A client that never ends its sessions must not block others: the token with most sessions loses one. */
  const makeRoom = (): void => {
    if (sessions.size < maxSessions) return;
    const byToken = Map.groupBy(sessions.values(), ({ caller }) => caller.tokenId);
    const [most = []] = [...byToken.values()].sort((a, b) => b.length - a.length);
    const [victim] = most.toSorted((a, b) => Number(a.streaming) - Number(b.streaming) || a.usedAt - b.usedAt);
    victim?.close();
  };
  return {
    /** null: no session of this caller has this id. */
    find(id: string, caller: Caller): AgentSession | null {
      const session = sessions.get(id);
      if (session?.caller.tokenId !== caller.tokenId) return null;
      if (session.caller.scopes.isSubsetOf(caller.scopes)) {
        // The user may have added some.
        session.caller.scopes = caller.scopes;
        if (caller.expiresAt !== undefined) session.caller.expiresAt = caller.expiresAt;
        return session;
      }
      // The token lost scopes since the session began, and the notification may not have arrived yet.
      session.close();
      return null;
    },
    /** Begins a session with its first request. `before`: the session that it replaces. */
    async begin(first: Request, messages: readonly Message[], caller: Caller, before: AgentSession | null) {
      const id = crypto.randomUUID();
      let ended = () => {};
      const session = open(id, caller, parts, () => {
        drop(id);
        ended();
      });
      const response = await session.answer(first, messages);
      if (!response.ok) return response;
      before?.close();
      makeRoom();
      sessions.set(id, session);
      cancelSweep ??= after(sweepEveryMs, sweep);
      ended = parts.opened(session);
      return response;
    },
  };
}

function softwareOf(session: McpSession): string | null {
  const name = session.client().info?.name;
  return typeof name === 'string' ? name.slice(0, 64) : null;
}

function open(
  id: string,
  caller: Caller,
  { clock, makeServer, watches, streams }: AgentSessionParts,
  closed: () => void,
): AgentSession {
  const { now, monotonic } = clock;
  const followed = new Map<string, () => void>();
  const watch = (uri: string) => watches.watch(uri, () => session.notify('notifications/resources/updated', { uri }));
  const server = makeServer(caller, {
    follow(uri) {
      if (followed.has(uri) || followed.size >= maxFollowed) return;
      followed.set(uri, entry.streaming ? watch(uri) : () => {});
    },
    unfollow(uri) {
      followed.get(uri)?.();
      followed.delete(uri);
    },
  });

  let cancelExpiry = () => {};
  /** Without a stream no updates are read. */
  const setStreaming = (streaming: boolean) => {
    cancelExpiry();
    if (streaming) cancelExpiry = atExpiry(caller, clock, session.closeUpdates);
    entry.streaming = streaming;
    entry.usedAt = monotonic();
    for (const [uri, stop] of followed) {
      stop();
      followed.set(uri, streaming ? watch(uri) : () => {});
    }
  };

  const session = createSession({ ...streams, id, server, responseWithinMs: validMs, streaming: setStreaming, closed });
  const begunAt = now();
  const entry: AgentSession = {
    caller,
    usedAt: monotonic(),
    streaming: false,
    answer(request, messages) {
      entry.usedAt = monotonic();
      return session.answer(request, messages);
    },
    close: session.close,
    toolsChanged: () => session.notify('notifications/tools/list_changed'),
    shown: () => ({ software: softwareOf(session), since: begunAt }),
  };
  return entry;
}
