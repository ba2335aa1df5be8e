import type { StreamParts } from '@hostler/mcp/event-stream.ts';
import type { Message } from '@hostler/mcp/messages.ts';
import type { McpServer } from '@hostler/mcp/server.ts';
import { createSession, type McpSession } from '@hostler/mcp/session.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { Caller } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import { validMs } from './consent.client-prompt.ts';
import { atExpiry } from './endpoint.listening.ts';
import type { Watches } from './endpoint.watches.ts';
import type { Followed } from './server.ts';

/** The sessions of the older protocol. Each belongs to the token that began it. */
export interface Sessions {
  /** null: no session of this caller has this id. */
  find(id: string, caller: Caller): AgentSession | null;
  /** Begins a session with its first request. `before`: the session that it replaces. */
  begin(first: Request, messages: readonly Message[], caller: Caller, before: AgentSession | null): Promise<Response>;
  admit(admits: (caller: Caller) => boolean): void;
  toolsChanged(): void;
  count(): number;
  clients(): ConnectedClient[];
  close(): void;
}

export interface AgentSession {
  answer(request: Request, messages: readonly Message[]): Promise<Response>;
  end(): void;
}

export interface AgentSessionParts {
  makeServer(caller: Caller, followed: Followed): McpServer;
  watches: Watches;
  streams: StreamParts;
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  /** Called when the first session begins and when the last one ends. */
  changed(): void;
}

export const maxSessions = budgets.all.agentSessions;
export const idleMs = 10 * 60_000;
const sweepEveryMs = 60_000;
const maxFollowed = 64;

interface Entry extends AgentSession {
  caller: Caller;
  usedAt: number;
  begunAt: number;
  /** Whether a client holds the update stream. */
  streaming: boolean;
  session: McpSession;
}

export function createSessions(parts: AgentSessionParts): Sessions {
  const { monotonic, after } = parts;
  const entries = new Map<string, Entry>();
  let cancelSweep: (() => void) | null = null;

  const drop = (id: string) => {
    if (!entries.delete(id)) return;
    if (entries.size === 0) {
      cancelSweep?.();
      cancelSweep = null;
    }
    parts.changed();
  };

  const sweep = () => {
    cancelSweep = null;
    for (const entry of entries.values()) if (!entry.streaming && monotonic() - entry.usedAt >= idleMs) entry.end();
    if (entries.size > 0) cancelSweep = after(sweepEveryMs, sweep);
  };

  /** A client that never ends its sessions must not block others: the token with most sessions loses one. */
  const makeRoom = (): void => {
    if (entries.size < maxSessions) return;
    const byToken = Map.groupBy(entries.values(), ({ caller }) => caller.tokenId);
    const [most = []] = [...byToken.values()].sort((a, b) => b.length - a.length);
    const [victim] = most.toSorted((a, b) => Number(a.streaming) - Number(b.streaming) || a.usedAt - b.usedAt);
    victim?.end();
  };

  return {
    find(id, caller) {
      const entry = entries.get(id);
      if (entry?.caller.tokenId !== caller.tokenId) return null;
      if (entry.caller.scopes.isSubsetOf(caller.scopes)) {
        // The user may have added some.
        entry.caller.scopes = caller.scopes;
        if (caller.expiresAt !== undefined) entry.caller.expiresAt = caller.expiresAt;
        return entry;
      }
      // The token lost scopes since the session began, and the notification may not have arrived yet.
      entry.end();
      return null;
    },
    async begin(first, messages, caller, before) {
      const id = crypto.randomUUID();
      const entry = open(id, caller, parts, () => drop(id));
      const response = await entry.answer(first, messages);
      if (!response.ok) return response;
      before?.end();
      makeRoom();
      entries.set(id, entry);
      cancelSweep ??= after(sweepEveryMs, sweep);
      parts.changed();
      return response;
    },
    admit(admits) {
      for (const entry of entries.values()) if (!admits(entry.caller)) entry.end();
    },
    toolsChanged() {
      for (const { session } of entries.values()) session.notify('notifications/tools/list_changed');
    },
    count: () => entries.size,
    clients: () =>
      [...entries.values()].map(({ caller, session, begunAt }) => ({
        caller,
        software: softwareOf(session),
        through: 'mcp',
        since: begunAt,
      })),
    close() {
      for (const entry of entries.values()) entry.end();
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
  { makeServer, watches, now, monotonic, after, streams }: AgentSessionParts,
  closed: () => void,
): Entry {
  const followed = new Map<string, () => void>();
  const watch = (uri: string) =>
    watches.watch(uri, () => entry.session.notify('notifications/resources/updated', { uri }));
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
    if (streaming) cancelExpiry = atExpiry(caller, { now, after }, session.closeUpdates);
    entry.streaming = streaming;
    entry.usedAt = monotonic();
    for (const [uri, stop] of followed) {
      stop();
      followed.set(uri, streaming ? watch(uri) : () => {});
    }
  };

  const session = createSession({ ...streams, id, server, responseWithinMs: validMs, streaming: setStreaming, closed });
  const entry: Entry = {
    caller,
    usedAt: monotonic(),
    begunAt: now(),
    streaming: false,
    session,
    answer(request, messages) {
      entry.usedAt = monotonic();
      return session.answer(request, messages);
    },
    end: session.close,
  };
  return entry;
}
