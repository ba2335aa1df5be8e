import type { UnauthenticatedRateLimiter } from '../../access/limits/unauthenticated-rate-limiter.ts';
import type { KnownNames } from '../../access/origin/origin-check.ts';
import { isListed, refuseStrangers } from '../../access/origin/origin-check.ts';
import type { PeerEnd } from '../../core/caller.ts';
import type { RequestLines } from '../../core/request-log.ts';
import type { Entrance, HttpRequest, Methods } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import { type Later, mapLater } from '../../lib/later.ts';
import type { Log } from '../../lib/log.ts';
import { readingsOf } from './files/media-file.query.ts';
import { basicPasswordOf, secretsOf, toHttpRequest } from './request.ts';
import { problem, problemOf } from './respond.ts';
import { type Dashboard, dismissWorker, isPage } from './routes/dashboard.ts';
import { loginPagePath } from './routes/login-page.ts';
import { createMediaFileHandler, type MediaRouteParts } from './routes.ts';

export interface HandlerParts extends MediaRouteParts {
  dashboard: Dashboard;
  entrance: Pick<Entrance, 'routes' | 'upgrades'>;
  log: Log;
  requestLines: RequestLines;
  knownNames(): KnownNames;
  port(): number;
  /** It is the port with TLS. */
  isSecure: boolean;
  /** Of all ports together. */
  rateLimiter: UnauthenticatedRateLimiter;
  /** Whether a process of the user this service runs as is at this end. */
  isOurUser(end: PeerEnd): Promise<boolean>;
}

/** From a request to its answer: guard, find the route, call it. Never throws, never rejects. */
export function createHandler(
  parts: HandlerParts,
): (raw: Request, peer: () => PeerEnd, unhurried: () => void) => Later<Response | undefined> {
  const { log, knownNames, port, isSecure, service, isOurUser } = parts;
  const { routes, upgrades } = parts.entrance;
  const sendMediaFile = createMediaFileHandler(parts);

  let judged: { host: string | null; known: KnownNames | null } = { host: null, known: null };

  const answer = (request: HttpRequest, origin: string | null): Later<Response | undefined> => {
    const { path, method, headers } = request;
    // A page in a file has the origin "null", as anything may that a page of others has framed: here the code is what counts.
    guard(headers.get('host'), origin === 'null' && path === loginPagePath ? null : origin);
    if (method === 'OPTIONS' && headers.has('access-control-request-method')) return preflight(request);
    if (headers.has('service-worker')) return dismissWorker();
    if (path === '/api/media/file/data') return sendMediaFile(request);
    const upgrade = upgrades.get(path);
    if (upgrade !== undefined) {
      return method === 'GET'
        ? upgrade(request)
        : problem(405, `${method} is not allowed at ${path}; use GET`, { Allow: 'GET' });
    }
    const methods = routeAt(path);
    if (methods === undefined) return unknownPath(request);
    const handle = methods[method] ?? (method === 'HEAD' ? methods.GET : undefined);
    if (handle !== undefined) return handle(request);
    return problem(405, `${method} is not allowed at ${path}; use ${allowOf(methods)}`, { Allow: allowOf(methods) });
  };

  /** The table has exact paths; only a number at the end of one may stand for the `{id}` of a path in it. */
  const routeAt = (path: string): Methods | undefined =>
    routes.get(path) ?? routes.get(path.replace(lastNumber, '/{id}'));

  /** Programs ask under the same name again and again: it is judged once for as long as what is known stays the same. */
  const guard = (host: string | null, origin: string | null) => {
    const known = knownNames();
    if (origin === null && host === judged.host && known === judged.known) return;
    refuseStrangers({ host, origin, port: port(), isSecure }, known);
    if (origin === null) judged = { host, known };
  };

  /** Only listed pages come this far with an Origin; to others the browser is told nothing. */
  const preflight = ({ path }: HttpRequest): Response => {
    const methods = path === '/api/media/file/data' ? { GET: sendMediaFile } : routeAt(path);
    if (methods === undefined) return problem(404, `There is nothing at ${printable(path)}`);
    return new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': allowOf(methods),
        'Access-Control-Allow-Headers': path === '/api/mcp' ? `${ownHeaders}, ${agentHeaders}` : ownHeaders,
        'Access-Control-Max-Age': '600',
      },
    });
  };

  /** A page that was allowed by name may also see the answer; our own pages need no such word. */
  const admit = (origin: string | null, response: Response): Response => {
    if (origin === null || !isListed(origin, knownNames().allowedOrigins)) return response;
    response.headers.set('Access-Control-Allow-Origin', origin);
    response.headers.append('Vary', 'Origin');
    return response;
  };

  const unknownPath = ({ path, method, headers, connection }: HttpRequest): Response | Promise<Response> => {
    if (path.startsWith(dataPrefix)) {
      requireScope(service.authorize(secretsOf(headers), connection), 'read');
      // No line of the table is for it, so the store has none either and throws its sentence.
      service.store.get(path.slice(dataPrefix.length));
    }
    if (isPage(path)) {
      if (method === 'GET' || method === 'HEAD') return parts.dashboard(path, headers);
      return problem(405, `${method} is not allowed at ${printable(path)}; use GET`, { Allow: 'GET, HEAD' });
    }
    return problem(404, `There is nothing at ${printable(path)}; /api/docs lists what there is`);
  };

  const refuse = (thrown: unknown): Response => problemOf(thrown, log);

  const everySecretOf = ({ path, rawQuery, headers }: HttpRequest): string[] => {
    const inQuery = path === '/api/media/file/data' ? (readingsOf(rawQuery).next().value?.token ?? '') : '';
    return [...secretsOf(headers), ...basicPasswordOf(headers), inQuery];
  };

  /** null: none that is valid. What is wrong with a request its answer says. */
  const tokenNameOf = (request: HttpRequest): string | null => {
    try {
      return service.nameOf(everySecretOf(request));
    } catch {
      return null;
    }
  };

  /** What one is asked for costs more than to see that it has a token. */
  const isKnown = (request: HttpRequest): boolean => service.knows(everySecretOf(request));

  /** WebSockets have the admission queue. */
  const isAdmitted = (request: HttpRequest, end: () => PeerEnd): boolean =>
    parts.rateLimiter.admits(() => end().address) ||
    (request.method === 'GET' && upgrades.has(request.path)) ||
    isKnown(request);

  const respond = (raw: Request, end: () => PeerEnd, unhurried: () => void): Later<Response | undefined> => {
    const origin = raw.headers.get('origin');
    try {
      const request = toHttpRequest(raw, { end, isOurUser, isEncrypted: isSecure }, unhurried);
      if (!isAdmitted(request, end)) return tooMany();
      const response = answer(request, origin);
      if (response === undefined) return undefined;
      if (!(response instanceof Promise)) return origin === null ? response : admit(origin, response);
      return response.catch(refuse).then((landed) => landed && admit(origin, landed));
    } catch (thrown) {
      return admit(origin, refuse(thrown));
    }
  };

  return (raw, end, unhurried) => {
    const finish = parts.requestLines.begin();
    if (finish === null) return respond(raw, end, unhurried);
    // Both while they are known: the connection may end meanwhile, and a token may be revoked.
    const { address } = end();
    const request = toHttpRequest(raw, { end, isOurUser, isEncrypted: isSecure });
    const who = tokenNameOf(request);
    const what = `${request.method} ${request.path}`;
    return mapLater(respond(raw, end, unhurried), (response) => {
      finish({ what, outcome: response?.status ?? switchingProtocols, address, who });
      return response;
    });
  };
}

/** What the runtime answers where a connection becomes a WebSocket. */
const switchingProtocols = 101;

/** Closing the connection makes the runtime drop the requests that wait on it. */
const tooMany = () =>
  problem(429, 'Too many requests without a token at the same time; try again', {
    'Retry-After': '1',
    Connection: 'close',
  });

const lastNumber = /\/-?\d[\d.]{0,15}$/;
const dataPrefix = '/api/data/';
const ownHeaders = 'Authorization, Content-Type, Token, X-API-Token';
const agentHeaders = 'Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';

function allowOf(methods: Methods): string {
  return Object.keys(methods)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
}

/** Paths are quoted back to people: shortened, and still percent-encoded as they came. */
const printable = (path: string) => path.slice(0, 100);
