import type { KnownNames } from '../../access/browser.ts';
import { refuseStrangers } from '../../access/browser.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { UnsupportedContentType } from './body.ts';
import { type HttpRequest, secretsOf, toHttpRequest } from './request.ts';
import { problem, problemOf } from './respond.ts';
import { createMediaFileHandler, createRoutes, type Methods, type RouteParts } from './routes.ts';

export interface HandlerParts extends RouteParts {
  log: Log;
  knownNames(): KnownNames;
  port(): number;
}

/** From a request to its answer: guard, find the route, call it. Never throws, never rejects. */
export function createHandler(
  parts: HandlerParts,
): (raw: Request, address: () => string) => Response | Promise<Response> {
  const { log, knownNames, port, service } = parts;
  const routes = createRoutes(parts);
  const sendMediaFile = createMediaFileHandler(parts);

  const answer = (request: HttpRequest): Response | Promise<Response> => {
    const { path, method, headers } = request;
    const origin = headers.get('origin');
    refuseStrangers({ host: headers.get('host'), origin, port: port() }, knownNames());
    if (path === '/api/media/file/data') return sendMediaFile(request);
    const methods = routes.get(path);
    if (methods === undefined) return unknownPath(request);
    const handle = methods[method] ?? (method === 'HEAD' ? methods.GET : undefined);
    if (handle !== undefined) return handle(request);
    return problem(405, `${path} does not take ${method}`, { Allow: allowOf(methods) });
  };

  const unknownPath = ({ path, headers, connection }: HttpRequest): Response => {
    if (path.startsWith('/api/data/')) {
      service.authorize(secretsOf(headers), connection);
      throw new ServiceError(
        'not_found',
        `There is no module ${JSON.stringify(printable(path.slice('/api/data/'.length)))}; /api/modules lists them`,
      );
    }
    if (path === '/') return new Response(null, { status: 302, headers: { Location: '/api/docs' } });
    return problem(404, `There is nothing at ${printable(path)}; /api/docs says what there is`);
  };

  const refuse = (thrown: unknown): Response =>
    thrown instanceof UnsupportedContentType ? problem(415, thrown.message) : problemOf(thrown, log);

  return (raw, address) => {
    try {
      const response = answer(toHttpRequest(raw, address));
      return response instanceof Promise ? response.catch(refuse) : response;
    } catch (thrown) {
      return refuse(thrown);
    }
  };
}

function allowOf(methods: Methods): string {
  return Object.keys(methods)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
}

/** Paths are quoted back to people: shortened, and still percent-encoded as they came. */
const printable = (path: string) => path.slice(0, 100);
