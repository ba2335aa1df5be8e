import { type McpServer, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { budgets } from '../../access/limits/budgets.ts';
import type { Caller } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import type { Watches } from './endpoint.watches.ts';
import type { Followed } from './server.ts';

/** The sessions of the older protocol. Each belongs to the token that began it. */
export interface Sessions {
  /** null: no session of this caller has this id. */
  find(id: string, caller: Caller): AgentSession | null;
  /** Begins a session with its first request. */
  begin(first: Request, body: unknown, caller: Caller): Promise<Response>;
  /** Ends sessions whose token is no longer valid. */
  admit(admits: (caller: Caller) => boolean): void;
  toolsChanged(): void;
  count(): number;
  clients(): ConnectedClient[];
  close(): void;
}

export interface AgentSession {
  answer(request: Request, body: unknown): Promise<Response>;
}

export interface AgentSessionParts {
  makeServer(caller: Caller, followed: Followed): McpServer | Server;
  watches: Watches;
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  /** Called when the first session begins and when the last one ends. */
  changed(): void;
}

export const maxSessions = budgets.all.agentSessions;
export const idleMs = 10 * 60_000;
const sweepEveryMs = 60_000;
export const keepAliveMs = 15_000;
const maxFollowed = 64;

interface Entry extends AgentSession {
  caller: Caller;
  usedAt: number;
  /** Unix milliseconds. */
  begunAt: number;
  /** Whether a client holds the update stream. */
  streaming: boolean;
  server: Server;
  end(): void;
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

  const keep = (id: string, entry: Entry) => {
    entries.set(id, entry);
    cancelSweep ??= after(sweepEveryMs, sweep);
    parts.changed();
  };

  return {
    find(id, caller) {
      const entry = entries.get(id);
      if (entry?.caller.tokenId !== caller.tokenId) return null;
      if (entry.caller.scopes.isSubsetOf(caller.scopes)) return entry;
      // The token lost scopes since the session began, and the notification may not have arrived yet.
      entry.end();
      return null;
    },
    async begin(first, body, caller) {
      makeRoom();
      const entry = await open(caller, parts, { keep, drop });
      const response = await entry.answer(first, body);
      if (!response.ok) entry.end();
      return response;
    },
    admit(admits) {
      for (const entry of entries.values()) if (!admits(entry.caller)) entry.end();
    },
    toolsChanged() {
      for (const { server } of entries.values()) server.sendToolListChanged().catch(() => {});
    },
    count: () => entries.size,
    clients: () =>
      [...entries.values()].map(({ caller, server, begunAt }) => ({
        caller,
        software: server.getClientVersion()?.name.slice(0, 64) ?? null,
        through: 'mcp',
        since: begunAt,
      })),
    close() {
      for (const entry of entries.values()) entry.end();
    },
  };
}

async function open(
  caller: Caller,
  { makeServer, watches, now, monotonic }: AgentSessionParts,
  { keep, drop }: { keep(id: string, entry: Entry): void; drop(id: string): void },
): Promise<Entry> {
  const followed = new Map<string, () => void>();
  const watch = (uri: string) => watches.watch(uri, () => void server.sendResourceUpdated({ uri }).catch(() => {}));
  const product = makeServer(caller, {
    follow(uri) {
      if (followed.has(uri) || followed.size >= maxFollowed) return;
      followed.set(uri, entry.streaming ? watch(uri) : () => {});
    },
    unfollow(uri) {
      followed.get(uri)?.();
      followed.delete(uri);
    },
  });
  const server = 'server' in product ? product.server : product;
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    keepAliveMs,
    onsessioninitialized: (id) => keep(id, entry),
  });

  /** Without a stream no updates are read. */
  const setStreaming = (streaming: boolean) => {
    entry.streaming = streaming;
    entry.usedAt = monotonic();
    for (const [uri, stop] of followed) {
      stop();
      followed.set(uri, streaming ? watch(uri) : () => {});
    }
  };

  const entry: Entry = {
    caller,
    usedAt: monotonic(),
    begunAt: now(),
    streaming: false,
    server,
    async answer(request, body) {
      entry.usedAt = monotonic();
      const authInfo = { token: '', clientId: caller.tokenId, scopes: [...caller.scopes] };
      const response = await transport.handleRequest(
        request,
        body === undefined ? { authInfo } : { authInfo, parsedBody: body },
      );
      if (request.method === 'GET' && response.ok) {
        setStreaming(true);
        request.signal.addEventListener('abort', () => setStreaming(false), { once: true });
      }
      return response;
    },
    end: () => void product.close().catch(() => {}),
  };
  await product.connect(transport);
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    setStreaming(false);
    if (transport.sessionId !== undefined) drop(transport.sessionId);
  };
  return entry;
}
