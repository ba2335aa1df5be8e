import {
  createMcpHandler,
  InMemoryServerEventBus,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServer,
  PROTOCOL_VERSION_META_KEY,
  type Server,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import type { Log } from '../../lib/log.ts';
import { isObject } from '../../lib/values.ts';
import { safeLine } from './calls.sanitise.ts';
import { createListening } from './endpoint.listening.ts';
import { createSessions, keepAliveMs } from './endpoint.sessions.ts';
import { bounded, isStream } from './endpoint.streams.ts';
import type { Watches } from './endpoint.watches.ts';
import { rpcProblem } from './mcp.errors.ts';
import type { Followed } from './server.ts';

/** Both versions of the protocol at one address. The caller is authenticated before; the factory provides the tools. */
export interface Endpoint {
  answer(request: Request, body: unknown, caller: Caller): Promise<Response>;
  /** Ends sessions and streams whose token is no longer valid. */
  admit(admits: (caller: Caller) => boolean): void;
  toolsChanged(): void;
  /** Clients with a session or an update stream. */
  clients(): ConnectedClient[];
  close(): Promise<void>;
}

export interface EndpointParts {
  /** Called for every request of the newer protocol, and for every session of the older one. */
  makeServer(caller: Caller, followed: Followed | null): McpServer | Server;
  watches: Watches;
  log: Log;
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  /** Called when a session or stream begins or ends. */
  lasting(count: number): void;
}

export function createEndpoint(parts: EndpointParts): Endpoint {
  const { makeServer, watches, log } = parts;
  const exchanges = new Set<{ caller: Caller; handler: McpHttpHandler }>();
  const changed = () => parts.lasting(sessions.count() + listening.count() + exchanges.size);
  const listening = createListening(watches, parts.now, changed);
  const sessions = createSessions({ ...parts, changed });
  const onerror = (error: Error) => log.debug(`mcp: ${safeLine(error.message)}`);

  const older = async (request: Request, body: unknown, caller: Caller): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = sessions.find(id, caller);
      return session === null ? noSession() : await session.answer(request, body);
    }
    if (request.method !== 'POST') return wrongMethod();
    if (!isInitializeRequest(body)) return rpcProblem(400, -32_000, 'The header Mcp-Session-Id is missing');
    return await sessions.begin(request, body, caller);
  };

  const newer = async (request: Request, body: unknown, caller: Caller): Promise<Response> => {
    const uris = listenedUris(body);
    if (uris !== null && !listening.hasRoom(caller)) return tooMany('streams are open; end some of them');
    const exchange: { caller: Caller; handler: McpHttpHandler } = {
      caller,
      handler: createMcpHandler(
        () => {
          const product = makeServer(caller, null);
          const server = 'server' in product ? product.server : product;
          if (uris === null) server.onclose = () => finish();
          return product;
        },
        {
          legacy: 'reject',
          keepAliveMs,
          onerror,
          bus:
            uris === null
              ? new InMemoryServerEventBus()
              : listening.busFor(caller, uris, () => void exchange.handler.close()),
        },
      ),
    };
    const finish = () => {
      if (exchanges.delete(exchange)) changed();
    };
    exchanges.add(exchange);
    changed();
    const authInfo = { token: '', clientId: caller.tokenId, scopes: [...caller.scopes] };
    try {
      const response = await exchange.handler.fetch(
        request,
        body === undefined ? { authInfo } : { authInfo, parsedBody: body },
      );
      // The stream of a call ends with its server; everything else has been answered.
      if (uris !== null || !isStream(response)) finish();
      return response;
    } catch (error) {
      finish();
      throw error;
    }
  };

  return {
    async answer(request, body, caller) {
      // Most requests of the newer protocol identify themselves; the library classifies the rest.
      const isOlder = !claimsNewer(body) && (await isLegacyRequest(request, body ?? {}));
      return bounded(await (isOlder ? older(request, body, caller) : newer(request, body, caller)));
    },
    admit(admits) {
      sessions.admit(admits);
      listening.admit(admits);
      for (const { caller, handler } of [...exchanges]) if (!admits(caller)) void handler.close();
    },
    toolsChanged() {
      sessions.toolsChanged();
      listening.toolsChanged();
    },
    clients: () => [...sessions.clients(), ...listening.clients()],
    async close() {
      sessions.close();
      listening.close();
      await Promise.all([...exchanges].map(({ handler }) => handler.close()));
    },
  };
}

/** The resources that a client follows; null: not such a request. */
function listenedUris(body: unknown): string[] | null {
  if (!isObject(body) || body.method !== 'subscriptions/listen') return null;
  const { notifications } = isObject(body.params) ? body.params : {};
  const uris = isObject(notifications) ? notifications.resourceSubscriptions : [];
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}

function claimsNewer(body: unknown): boolean {
  const { _meta } = isObject(body) && isObject(body.params) ? body.params : {};
  return isObject(_meta) && _meta[PROTOCOL_VERSION_META_KEY] !== undefined;
}

/** The same for an ended session and for one of another token: the client cannot distinguish them. */
const noSession = () => rpcProblem(404, -32_001, 'There is no such session: begin a new one with initialize');

const wrongMethod = () =>
  rpcProblem(405, -32_000, 'Without Mcp-Session-Id only POST is served', { Allow: 'GET, POST, DELETE' });

const tooMany = (what: string) => rpcProblem(429, -32_000, `Too many ${what}`, { 'Retry-After': '10' });
