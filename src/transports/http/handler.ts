import { networkOf } from '../../access/limits/budgets.ts';
import type { UnauthenticatedRateLimiter } from '../../access/limits/unauthenticated-rate-limiter.ts';
import { refuseForeignSubresource } from '../../access/origin/fetch-metadata.ts';
import type { KnownNames } from '../../access/origin/origin-check.ts';
import { checkHostAndOrigin, isListed } from '../../access/origin/origin-check.ts';
import type { RequestLines } from '../../core/request-log.ts';
import type { Handler, HttpRequest, Methods, RouteTable } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import { type Later, mapLater } from '../../lib/later.ts';
import type { Log } from '../../lib/log.ts';
import { type BasePathSettings, belowBase } from './base-path.ts';
import type { FairShare } from './fair-share.ts';
import { readingsOf } from './files/media-file.query.ts';
import { type HttpPeer, passwordsOf, secretsOf, toHttpRequest } from './request.ts';
import { problem, problemOf } from './respond.ts';
import { type Dashboard, dismissWorker, isPage } from './routes/dashboard.ts';
import { loginPagePath } from './routes/login-page.ts';
import { createMediaFileHandler, type MediaRouteParts } from './routes.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface HandlerParts extends MediaRouteParts {
  dashboard: Dashboard;
  routeTable: Pick<RouteTable, 'routes' | 'prefixes' | 'upgrades'>;
  log: Log;
  requestLines: RequestLines;
  knownNames(): KnownNames;
  basePath(): BasePathSettings;
  port(): number;
  peer: HttpPeer;
  /** Shared by all ports. */
  rateLimiter: UnauthenticatedRateLimiter;
  fairShare: FairShare;
  unreadAnswers: Pick<UnreadAnswers, 'paced'>;
}

interface Context extends HandlerParts {
  sendMediaFile: Handler;
  refuse(thrown: unknown): Response;
  /** The last Host header that passed the check, and the names it was checked against. */
  passed: { host: string | null; known: KnownNames | null };
}

/** From a request to its response: check it, find the route, call it. Never throws, never rejects. */
export function createHandler(parts: HandlerParts): (raw: Request) => Later<Response | undefined> {
  const context: Context = {
    ...parts,
    sendMediaFile: createMediaFileHandler(parts),
    refuse: (thrown) => problemOf(thrown, parts.log),
    passed: { host: null, known: null },
  };
  return (raw) => {
    const { peer } = parts;
    const request = belowBase(toHttpRequest(raw, peer), parts.basePath(), () => peer.end(raw).address);
    const finish = parts.requestLines.begin();
    if (finish === null) return respond(context, request);
    // Read both now: the connection may close and the token may be revoked before the response.
    const { address } = peer.end(raw);
    const who = tokenNameOf(context, request);
    const what = `${request.method} ${loggedPath(context, request.path)}`;
    return mapLater(respond(context, request), (response) => {
      finish({ what, outcome: response?.status ?? switchingProtocols, address, who });
      return response;
    });
  };
}

function respond(context: Context, request: HttpRequest): Later<Response | undefined> {
  const origin = request.headers.get('origin');
  try {
    const response = admit(context, request, origin);
    if (response === undefined) return undefined;
    if (!(response instanceof Promise)) return allowOrigin(context, origin, paced(context, request, response));
    return response.then(
      (settled) => settled && allowOrigin(context, origin, paced(context, request, settled)),
      (thrown) => allowOrigin(context, origin, context.refuse(thrown)),
    );
  } catch (thrown) {
    return allowOrigin(context, origin, context.refuse(thrown));
  }
}

/** A long answer is sent as its client reads it. */
function paced(context: Context, request: HttpRequest, response: Response): Response {
  const { service, unreadAnswers, peer, refuse } = context;
  if (request.method === 'HEAD') return response;
  try {
    return unreadAnswers.paced(response, () => {
      const token = service.identify(everySecretOf(request));
      if (token !== null) return { share: token.shareId ?? token.id, isKnown: true };
      return { share: networkOf(peer.end(request.raw).address), isKnown: false };
    });
  } catch (thrown) {
    return refuse(thrown);
  }
}

/** Answers the request at once, unless there are many in this turn of the event loop. */
function admit(context: Context, request: HttpRequest, origin: string | null): Later<Response | undefined> {
  const { rateLimiter, service, fairShare, peer } = context;
  if (rateLimiter.admits(() => peer.end(request.raw).address) || isUpgrade(context, request))
    return answer(context, request, origin);
  const token = service.identify(everySecretOf(request));
  if (token === null) return tooMany('Too many requests without a token at the same time; try again');
  const { address, port } = peer.end(request.raw);
  const refused = () => tooMany('Too many requests with this token at the same time; try again');
  const answered = fairShare.take(
    { tokenId: token.shareId ?? token.id, connection: `${address} ${port}` },
    () => answer(context, request, origin),
    () => (request.raw.signal.aborted ? refused() : answer(context, request, origin)),
  );
  return answered === null ? refused() : answered;
}

/** WebSocket upgrades have the admission queue instead. */
const isUpgrade = ({ routeTable }: Context, { method, path }: HttpRequest): boolean =>
  method === 'GET' && routeTable.upgrades.has(path);

function answer(context: Context, request: HttpRequest, origin: string | null): Later<Response | undefined> {
  const { path, method, headers, apiToken } = request;
  // A local file has the origin "null", and so may a framed foreign page: at the login page the code decides.
  checkOrigin(context, headers.get('host'), origin === 'null' && path === loginPagePath ? null : origin);
  // What a browser loads on its own, or for another origin without asking first, has no such header.
  if (apiToken === null) {
    // The address of a media file has a secret, and players of other origins load it.
    if (path !== mediaPath) refuseForeignSubresource(headers);
    if (method === 'OPTIONS' && headers.has('access-control-request-method')) return preflight(context, path);
    // Before the routes: a worker that another program registered at the address of a route must go as well.
    if (headers.has('service-worker')) return dismissWorker(request.base);
  }
  const methods = routeAt(context, path);
  const handle = methods?.[method] ?? (method === 'HEAD' ? methods?.GET : undefined);
  if (handle !== undefined) return handle(request);
  if (path === mediaPath) return context.sendMediaFile(request);
  const upgrade = context.routeTable.upgrades.get(path);
  if (upgrade !== undefined) {
    return method === 'GET'
      ? upgrade(request)
      : problem(405, `${method} is not allowed at ${path}; use GET`, { Allow: 'GET' });
  }
  if (methods === undefined) return unknownPath(context, request);
  return problem(405, `${method} is not allowed at ${path}; use ${allowOf(methods)}`, { Allow: allowOf(methods) });
}

/** The route table has exact paths; a number at the end of a path stands for `{id}`. */
const routeAt = (context: Context, path: string): Methods | undefined => {
  const { routes } = context.routeTable;
  return routes.get(path) ?? routes.get(path.replace(lastNumber, '/{id}')) ?? prefixOf(context, path)?.[1].methods;
};

const prefixOf = ({ routeTable }: Context, path: string) =>
  routeTable.prefixes.entries().find(([prefix]) => path.startsWith(prefix));

/** A mistyped address contains the secret as well. */
function loggedPath({ routeTable }: Context, path: string): string {
  const plain = path.toLowerCase().replaceAll('%2f', '/');
  for (const [prefix, { isSecret }] of routeTable.prefixes) if (isSecret && plain.includes(prefix)) return `${prefix}…`;
  return path;
}

/** Programs repeat the same Host header: it is checked again only when the known names change. */
function checkOrigin(context: Context, host: string | null, origin: string | null): void {
  const known = context.knownNames();
  if (origin === null && host === context.passed.host && known === context.passed.known) return;
  checkHostAndOrigin({ host, origin, port: context.port(), isSecure: context.peer.isEncrypted }, known);
  if (origin === null) context.passed = { host, known };
}

/** Only allowed origins get here; the others get no CORS headers. */
function preflight(context: Context, path: string): Response {
  const methods = path === mediaPath ? { GET: context.sendMediaFile } : routeAt(context, path);
  if (methods === undefined) return problem(404, `There is nothing at ${printable(path)}`);
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': allowOf(methods),
      'Access-Control-Allow-Headers': path === '/api/mcp' ? `${ownHeaders}, ${agentHeaders}` : ownHeaders,
      'Access-Control-Max-Age': '600',
    },
  });
}

/** Lets a page of an allowed origin read the response; same-origin pages need no header. */
function allowOrigin({ knownNames }: Context, origin: string | null, response: Response): Response {
  if (origin === null || !isListed(origin, knownNames().allowedOrigins)) return response;
  response.headers.set('Access-Control-Allow-Origin', origin);
  response.headers.append('Vary', 'Origin');
  return response;
}

function unknownPath({ service, dashboard }: Context, request: HttpRequest): Response | Promise<Response> {
  const { path, base, method, headers } = request;
  if (path.startsWith(dataPrefix)) {
    requireScope(service.authorize(secretsOf(request), request.connection), 'read');
    // The store has no such module and throws its error.
    service.store.get(path.slice(dataPrefix.length));
  }
  if (isPage(path)) {
    if (method === 'GET' || method === 'HEAD') return dashboard(path, headers, base);
    return problem(405, `${method} is not allowed at ${printable(path)}; use GET`, { Allow: 'GET, HEAD' });
  }
  return problem(404, `There is nothing at ${printable(path)}; /api/docs lists the routes`);
}

/** null: no valid token. */
function tokenNameOf({ service }: Context, request: HttpRequest): string | null {
  try {
    return service.identify(everySecretOf(request))?.name ?? null;
  } catch {
    return null;
  }
}

function* everySecretOf(request: HttpRequest): Generator<string, void> {
  yield* passwordsOf(request);
  if (request.path === mediaPath) yield readingsOf(request.rawQuery).next().value?.token ?? '';
}

/** The status that the runtime sends for a WebSocket upgrade. */
const switchingProtocols = 101;

/** Closing the connection makes the runtime drop the requests that wait on it. */
const tooMany = (sentence: string) => problem(429, sentence, { 'Retry-After': '1', Connection: 'close' });

const lastNumber = /\/-?\d[\d.]{0,15}$/;
const dataPrefix = '/api/data/';
const mediaPath = '/api/media/file/data';
const ownHeaders = 'Authorization, Content-Type, Token, X-API-Token';
const agentHeaders = 'Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';

function allowOf(methods: Methods): string {
  return Object.keys(methods)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
}

/** Paths in error messages are shortened and stay percent-encoded. */
const printable = (path: string) => path.slice(0, 100);
