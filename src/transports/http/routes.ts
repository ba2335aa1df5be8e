import { budgets } from '../../access/budgets.ts';
import type { Pairing } from '../../access/pairing.ts';
import { createQuota } from '../../access/quota.ts';
import type { SignIn } from '../../access/sign-in.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { type Caller, isSameUser } from '../../core/caller.ts';
import type { Handler, HttpRequest, Methods } from '../../core/entrance.ts';
import { hasScope, requireScope, type Service } from '../../core/service.ts';
import { ServiceError } from '../../lib/errors.ts';
import { plainTypedCode } from '../../lib/typed-code.ts';
import type { OpenServedFile, ServedFile } from '../../user-files/served-file.ts';
import { readJson, readStrangersForm } from './body.ts';
import { browserRoutes } from './browser-routes.ts';
import { ticketRoute } from './file-ticket.ts';
import { loginHandOver, loginPagePath, loginRefusal } from './login-page.ts';
import { mediaFile } from './media-file.ts';
import { pairRoutes } from './pair-routes.ts';
import { secretsOf } from './request.ts';
import { bytesResponse, jsonResponse } from './respond.ts';
import { tokenRoutes } from './token-routes.ts';

export interface RouteParts {
  service: Service;
  now(): number;
  signIn: Pick<SignIn, 'isOffered'>;
  /** Made for the first one who asks for access. */
  pairing(): Promise<Pairing>;
}

export interface MediaRouteParts {
  service: Service;
  openServedFile: OpenServedFile;
  fileBody(request: Request, file: ServedFile, start: number, end: number): Blob | ReadableStream<Uint8Array>;
}

/** The paths of HTTP itself. Modules and actions are few: each has a line of its own. */
export function createRoutes({ service, now, signIn, pairing }: RouteParts): Map<string, Methods> {
  const authorize = ({ headers, connection }: HttpRequest): Caller => service.authorize(secretsOf(headers), connection);
  const reader = (request: HttpRequest) => requireScope(authorize(request), 'read');
  const logins = createQuota(budgets.stranger.logins);

  // No token is needed for these: made once, so that nobody can keep the service busy with them.
  const openApi = once(async () => {
    const { openApiOf } = await import('./openapi.ts');
    return new TextEncoder().encode(JSON.stringify(await openApiOf(service)));
  });
  const asyncApi = once(async () => {
    const { asyncApiOf } = await import('../ws/asyncapi.ts');
    return new TextEncoder().encode(JSON.stringify(await asyncApiOf(service)));
  });
  const docs = once(async () => (await import('./docs-page.ts')).docsPage(service));

  const routes = new Map<string, Methods>([
    ['/api', { GET: () => jsonResponse({ status: 'success', message: 'The Hostler API is running.', data: {} }) }],
    [
      '/api/health',
      {
        GET: () =>
          jsonResponse({ status: 'healthy', timestamp: new Date(now()).toISOString(), version: service.version }),
      },
    ],
    [
      '/api/modules',
      {
        async GET(request) {
          reader(request);
          return jsonResponse(await service.store.describe());
        },
      },
    ],
    [
      '/api/actions',
      {
        async GET(request) {
          const caller = authorize(request);
          requireScope(caller, 'read');
          return jsonResponse(await Promise.all(service.actions.map((action) => stateOf(service, action, caller))));
        },
      },
    ],
    ['/api/data', { GET: (request) => missingModule(request) }],
    ['/api/data/', { GET: (request) => missingModule(request) }],
    [
      loginPagePath,
      {
        async POST({ raw, connection }) {
          const code = plainTypedCode(
            (await logins.run(connection().address, () => readStrangersForm(raw))).get('code') ?? '',
          );
          if (!(await isSameUser({ connection }))) return loginRefusal(403, otherUser);
          // Only one that really was offered: else any page could send the browser to the sign-in with a wrong one.
          return signIn.isOffered(code) ? loginHandOver(code) : loginRefusal(401, usedUp);
        },
      },
    ],
    ['/api/openapi.json', { GET: async () => bytesResponse(await openApi()) }],
    ['/api/asyncapi.json', { GET: async () => bytesResponse(await asyncApi()) }],
    [
      '/api/docs',
      {
        async GET() {
          const { html, headers } = await docs();
          return new Response(html, { headers });
        },
      },
    ],
    ...tokenRoutes(service, authorize),
    ...browserRoutes(service, authorize, logins),
    ...pairRoutes(pairing),
    ticketRoute(service, authorize),
  ]);

  const missingModule = (request: HttpRequest): Response => {
    reader(request);
    throw new ServiceError('invalid', 'Name a module: /api/data/{module}; /api/modules lists them');
  };

  for (const name of [...service.store.names, ...service.store.aliases]) {
    routes.set(`/api/data/${name}`, {
      GET(request) {
        reader(request);
        const reading = service.store.get(name);
        return reading instanceof Promise
          ? reading.then(({ bytes }) => bytesResponse(bytes))
          : bytesResponse(reading.bytes);
      },
    });
  }

  for (const action of service.actions.filter(({ http }) => http)) {
    routes.set(routeOf(action), {
      async POST(request) {
        const { message, data } = await service.perform(action, () => readJson(request.raw), authorize(request), {
          gone: () => request.raw.signal,
        });
        return jsonResponse({ status: 'success', message, data });
      },
    });
  }

  for (const action of service.actions) {
    if (action.readAt === undefined) continue;
    routes.set(action.readAt, {
      async GET(request) {
        const input = Object.fromEntries(new URLSearchParams(request.rawQuery));
        return jsonResponse((await service.perform(action, input, authorize(request))).data);
      },
    });
  }

  return routes;
}

const otherUser =
  'This browser does not run as the user whose service this is, or Hostler cannot tell. Sign in with a token: "hostler token" prints it';
const usedUp = 'This code was used already, or is older than a minute. Run "hostler open" again';

const routeOf = ({ name }: ActionDefinition) => `/api/${name.replaceAll('.', '/')}`;

/** See actionStateSchema. */
async function stateOf(service: Service, action: ActionDefinition, caller: Caller) {
  const { name, description, wire, http, readAt = null, effect, scopes } = action;
  const reason = (await service.unavailable(action)) ?? service.paused(action);
  const allowed = hasScope(caller, ...scopes);
  const route = http ? routeOf(action) : readAt;
  return { name, description, event: wire.event, route, effect, scopes, allowed, available: reason === null, reason };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** Answers for itself, also what is not GET: its order of checks is its own. */
export function createMediaFileHandler({ service, openServedFile, fileBody }: MediaRouteParts): Handler {
  return ({ raw, method, rawQuery, headers, connection }) =>
    mediaFile(
      {
        authorize: (token) => requireScope(service.authorize([token], connection), 'files'),
        open: openServedFile,
        openTicket: (ticket) => service.files.open(ticket, connection),
        body: (file, start, end) => fileBody(raw, file, start, end),
      },
      { method, rawQuery, headers },
    );
}
