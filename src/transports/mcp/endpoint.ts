import type { StreamParts } from '@hostler/mcp/event-stream.ts';
import { createExchange } from '@hostler/mcp/exchange.ts';
import type { NotificationMessage, RequestMessage } from '@hostler/mcp/messages.ts';
import { isInitialize, type OlderRoute, routeOf } from '@hostler/mcp/route.ts';
import type { McpServer } from '@hostler/mcp/server.ts';
import { openSubscription } from '@hostler/mcp/subscription.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { Scope } from '../../access/scopes.ts';
import type { Caller } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import { createListening } from './endpoint.listening.ts';
import { createSessions } from './endpoint.sessions.ts';
import type { Watches } from './endpoint.watches.ts';
import { rpcProblem } from './mcp.errors.ts';
import type { Followed } from './server.ts';

/** Both versions of the protocol at one address. The caller is authenticated before; the factory provides the tools. */
export interface Endpoint {
  answer(request: Request, body: unknown, caller: Caller): Promise<Response>;
  /** The scope without which this message is refused, and which a client can ask for; null: none. */
  missingScope(body: unknown, caller: Caller): Promise<Scope | null>;
  admit(admits: (caller: Caller) => boolean): void;
  toolsChanged(): void;
  /** Clients with a session or an update stream. */
  clients(): ConnectedClient[];
  close(): Promise<void>;
}

export interface EndpointParts {
  /** Called for every request of the newer protocol, and for every session of the older one. */
  makeServer(caller: Caller, followed: Followed | null): McpServer;
  missingScope: Endpoint['missingScope'];
  watches: Watches;
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  /** Called when a session or stream begins or ends. */
  lasting(count: number): void;
}

const keepAliveMs = 15_000;

export function createEndpoint(parts: EndpointParts): Endpoint {
  const { makeServer, missingScope } = parts;
  const exchanges = new Set<{ caller: Caller; close(): void }>();
  const changed = () => parts.lasting(sessions.count() + listening.count() + exchanges.size);
  const streams: StreamParts = { after: parts.after, keepAliveMs, maxWaitingBytes: budgets.all.streamBytes };
  const listening = createListening({ ...parts, changed });
  const sessions = createSessions({ ...parts, streams, changed });

  const older = async (request: Request, { messages, isBatch }: OlderRoute, caller: Caller): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    const begun = id === null ? null : sessions.find(id, caller);
    if (id !== null && begun === null) return noSession();
    // Home Assistant initializes twice in one session; the SDK then uses the id of the second response.
    if (!isBatch && isInitialize(messages[0])) return await sessions.begin(request, messages, caller, begun);
    if (begun !== null) return await begun.answer(request, messages);
    if (request.method !== 'POST') return wrongMethod();
    return rpcProblem(400, -32_000, 'The header Mcp-Session-Id is missing');
  };

  const newer = async (request: Request, message: RequestMessage | NotificationMessage, caller: Caller) => {
    // Nothing outlives a request, so there is nothing that a notification could cancel.
    if (message.kind === 'notification') return new Response(null, { status: 202 });
    const server = makeServer(caller, null);
    if (message.method === 'subscriptions/listen') {
      if (!listening.hasRoom(caller)) return tooMany('streams are open; end some of them');
      return openSubscription(server, message, request, streams, (wanted, subscriber) =>
        listening.add(caller, wanted, subscriber),
      );
    }
    const exchange = createExchange(server, message, request, streams, () => {
      if (exchanges.delete(entry)) changed();
    });
    const entry = { caller, close: exchange.close };
    exchanges.add(entry);
    changed();
    return await exchange.answer();
  };

  return {
    async answer(request, body, caller) {
      const route = routeOf(request, body);
      if (route.era === 'refused') return route.response;
      return route.era === 'older' ? older(request, route, caller) : newer(request, route.message, caller);
    },
    missingScope,
    admit(admits) {
      sessions.admit(admits);
      listening.admit(admits);
      for (const { caller, close } of [...exchanges]) if (!admits(caller)) close();
    },
    toolsChanged() {
      sessions.toolsChanged();
      listening.toolsChanged();
    },
    clients: () => [...sessions.clients(), ...listening.clients()],
    async close() {
      sessions.close();
      listening.close();
      for (const { close } of [...exchanges]) close();
    },
  };
}

/** The same for an ended session and for one of another token: the client cannot distinguish them. */
const noSession = () => rpcProblem(404, -32_001, 'There is no such session: begin a new one with initialize');

const wrongMethod = () =>
  rpcProblem(405, -32_000, 'Without Mcp-Session-Id only POST is served', { Allow: 'GET, POST, DELETE' });

const tooMany = (what: string) => rpcProblem(429, -32_000, `Too many ${what}`, { 'Retry-After': '10' });
