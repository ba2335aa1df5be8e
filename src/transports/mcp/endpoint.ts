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
import type { Clock } from '../../lib/clock.ts';
import { createListening, type OpenClient } from './endpoint.listening.ts';
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
  watches: Watches;
  clock: Clock;
  /** Called when a session or stream begins or ends. */
  lasting(count: number): void;
}

const keepAliveMs = 15_000;

export function createEndpoint({ makeServer, watches, clock, lasting }: EndpointParts): Omit<Endpoint, 'missingScope'> {
  const clients = new Set<OpenClient>();
  /** Returns the function that is called when it has ended. */
  const opened = (client: OpenClient) => {
    clients.add(client);
    lasting(clients.size);
    return () => {
      if (clients.delete(client)) lasting(clients.size);
    };
  };
  const streams: StreamParts = { after: clock.after, keepAliveMs, maxWaitingBytes: budgets.all.streamBytes };
  const listening = createListening({ clock, watches, opened });
  const sessions = createSessions({ clock, makeServer, watches, streams, opened });
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
    const exchange = createExchange(server, message, request, streams, () => ended());
    const ended = opened({ caller, close: exchange.close });
    return await exchange.answer();
  };
  return {
    async answer(request, body, caller) {
      const route = routeOf(request, body);
      if (route.era === 'refused') return route.response;
      return route.era === 'older' ? older(request, route, caller) : newer(request, route.message, caller);
    },
    admit(admits) {
      for (const { caller, close } of [...clients]) if (!admits(caller)) close();
    },
    toolsChanged() {
      for (const { toolsChanged } of clients) toolsChanged?.();
    },
    clients: () =>
      [...clients].flatMap(({ caller, shown }) =>
        shown === undefined ? [] : [{ caller, through: 'mcp', ...shown() }],
      ),
    async close() {
      for (const { close } of [...clients]) close();
    },
  };
}

/** The same for an ended session and for one of another token: the client cannot distinguish them. */
const noSession = () => rpcProblem(404, -32_001, 'There is no such session: begin a new one with initialize');

const wrongMethod = () =>
  rpcProblem(405, -32_000, 'Without Mcp-Session-Id only POST is served', { Allow: 'GET, POST, DELETE' });

const tooMany = (what: string) => rpcProblem(429, -32_000, `Too many ${what}`, { 'Retry-After': '10' });
