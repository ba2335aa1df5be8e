import type { z } from 'zod';
import { budgets } from '../../access/limits/budgets.ts';
import { createQuota } from '../../access/limits/concurrency-limiter.ts';
import type { Pairing } from '../../access/pairing/pairing.ts';
import type { SignIn } from '../../access/sessions/sign-in.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { actionStatesFor, routeOf } from '../../core/action-state.ts';
import { type Caller, isSameUser } from '../../core/caller.ts';
import type { OpenServedFile, ServedFile } from '../../core/files/served-file.ts';
import { fieldsIn } from '../../core/json/schema-walk.ts';
import type { Reading } from '../../core/reading.ts';
import type { Handler, HttpRequest, Methods } from '../../core/route-table.ts';
import { requireScope, type Service } from '../../core/service.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { plainTypedCode } from '../../lib/typed-code.ts';
import { readActionJson, readStrangersForm } from './body.ts';
import { ticketRoute } from './files/file-ticket.ts';
import { mediaFile } from './files/media-file.ts';
import { refuseUnknownQuery, selectedBy, selecting, withoutQuery } from './query.ts';
import { secretsOf } from './request.ts';
import { bytesResponse, jsonResponse, pictureResponse } from './respond.ts';
import { browserRoutes } from './routes/browser-routes.ts';
import { loginHandOver, loginPagePath, loginRefusal } from './routes/login-page.ts';
import { pairRoutes } from './routes/pair-routes.ts';
import { tokenRoutes } from './routes/token-routes.ts';

export interface RouteParts {
  service: Service;
  now(): number;
  signIn: Pick<SignIn, 'isOffered'>;
  /** Made for the first one who asks for access. */
  pairing(): Promise<Pairing>;
  /** SHA-256 fingerprints of the certificates that this service shows over TLS. */
  ownCertificates(): readonly string[];
}

export interface MediaRouteParts {
  service: Service;
  openServedFile: OpenServedFile;
  fileBody(request: Request, file: ServedFile, start: number, end: number): Blob | ReadableStream<Uint8Array>;
}

/** The paths of HTTP itself. Modules and actions are few: each has a line of its own. */
export function createRoutes({ service, now, signIn, pairing, ownCertificates }: RouteParts): Map<string, Methods> {
  /** The token comes first: strangers learn nothing about what else is wrong. */
  const callerOf = ({ headers, connection }: HttpRequest) => service.authorize(secretsOf(headers), connection);
  const authorize = (request: HttpRequest, query: readonly string[] = []): Caller => {
    const caller = callerOf(request);
    refuseUnknownQuery(request, query);
    return caller;
  };
  const reader = (request: HttpRequest, query?: readonly string[]): Caller => {
    const caller = authorize(request, query);
    requireScope(caller, 'read');
    return caller;
  };
  const logins = createQuota(budgets.unauthenticated.logins);

  // No token is needed for these: made once, so that nobody can keep the service busy with them.
  const openApi = once(async () => {
    const { openApiOf } = await import('./openapi/openapi.ts');
    return new TextEncoder().encode(JSON.stringify(await openApiOf(service)));
  });
  const asyncApi = once(async () => {
    const { asyncApiOf } = await import('../ws/asyncapi.ts');
    return new TextEncoder().encode(JSON.stringify(await asyncApiOf(service)));
  });
  const docs = once(async () => (await import('./openapi/docs-page.ts')).docsPage(service));

  const open: [string, Methods][] = [
    ['/api', { GET: () => jsonResponse({ status: 'success', message: 'The Hostler API is running.', data: {} }) }],
    [
      '/api/health',
      {
        GET: () =>
          jsonResponse({ status: 'healthy', timestamp: new Date(now()).toISOString(), version: service.version }),
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
    ...pairRoutes(service.scopes, pairing, ownCertificates),
  ];

  const routes = new Map<string, Methods>([
    ...open.map(withoutQuery),
    [
      '/api/modules',
      {
        async GET(request) {
          const states = await service.store.seenBy(reader(request, selecting)).describe();
          if (request.rawQuery === '') return jsonResponse(states);
          const schema = async () => (await import('./http.schema.ts')).moduleStateSchema;
          return jsonResponse(await selectedBy(request.rawQuery, states, schema, 'A module'));
        },
      },
    ],
    [
      '/api/actions',
      {
        async GET(request) {
          const caller = authorize(request, selecting);
          requireScope(caller, 'read');
          const states = await actionStatesFor(service, caller);
          if (request.rawQuery === '') return jsonResponse(states);
          const schema = async () =>
            (await import('./access.schema.ts')).createAccessSchemas(service.scopes).actionStateSchema;
          return jsonResponse(await selectedBy(request.rawQuery, states, schema, 'An action'));
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
          // Only one that really was offered: else any page could send the browser to the sign-in with a wrong one.
          if (!signIn.isOffered(code)) return loginRefusal(401, usedUp);
          return (await isSameUser({ connection })) ? loginHandOver(code) : loginRefusal(403, otherUser);
        },
      },
    ],
    ...tokenRoutes(service, authorize),
    ...browserRoutes(service, authorize, logins),
    ticketRoute(service, authorize),
  ]);

  const missingModule = (request: HttpRequest): Response => {
    reader(request);
    throw new ServiceError('invalid', 'Name a module: /api/data/{module}; /api/modules lists them');
  };

  const schemaOf = (name: string) => async () => {
    const module = service.modules.find((each) => each.name === name || each.alias?.name === name);
    if (module === undefined) throw new Error(`${name} has a route, but no definition`);
    return await module.schema();
  };

  for (const name of [...service.store.names, ...service.store.aliases]) {
    routes.set(`/api/data/${name}`, {
      GET(request) {
        const reading = service.store.seenBy(reader(request, selecting)).get(name);
        if (request.rawQuery !== '') return selected(request, reading, schemaOf(name), name);
        return reading instanceof Promise
          ? reading.then(({ bytes }) => bytesResponse(bytes))
          : bytesResponse(reading.bytes);
      },
    });
  }

  for (const action of service.actions) {
    // What only reads can answer a part of it.
    const query = action.effect === 'read' ? selecting : [];
    routes.set(routeOf(action), {
      async POST(request) {
        const caller = authorize(request, query);
        const input = async () => {
          const body = await readActionJson(request.raw, caller, action.inputBytes);
          // A program may run for minutes.
          request.unhurried();
          return body;
        };
        const { message, data } = await service.perform(action, input, caller, { gone: () => request.raw.signal });
        const part =
          request.rawQuery === '' ? data : await selectedBy(request.rawQuery, data, action.output, action.name);
        const { picture } = action;
        if (picture !== undefined && request.rawQuery === '' && !wantsJson(request.headers))
          return pictureResponse(picture.typeOf(data), Buffer.from(picture.base64(data), 'base64'));
        return jsonResponse({ status: 'success', message, data: part });
      },
    });
    const { readAt, readBelow } = action;
    /** `inPath`: what of the input the path says. */
    const readRoute = (inPath: (path: string) => Record<string, string>): Handler =>
      async function GET(request) {
        const caller = callerOf(request);
        const given = inPath(request.path);
        if (request.rawQuery !== '')
          refuseUnknownQuery(
            request,
            (await inputNamesOf(action)).filter((name) => !Object.hasOwn(given, name)),
          );
        const input = { ...Object.fromEntries(new URLSearchParams(request.rawQuery)), ...given };
        return jsonResponse((await service.perform(action, input, caller, { gone: () => request.raw.signal })).data);
      };
    if (readAt !== undefined) routes.set(readAt, { ...routes.get(readAt), GET: readRoute(() => ({})) });
    if (readBelow !== undefined) routes.set(readBelow, { GET: readRoute((path) => ({ id: lastOf(path) })) });
  }

  return routes;
}

/** And nothing else: what takes anything gets the picture itself. */
const wantsJson = (headers: Headers) => /^application\/json\b/.test(headers.get('accept')?.trim() ?? '');

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const otherUser = `This browser does not run as the user whose service this is, or Hostler cannot tell. Sign in with a token: "${ownCommand('token')}" prints it`;
const usedUp = `This code was used already, or is older than a minute. Run "${ownCommand('open')}" again`;

async function inputNamesOf({ input }: ActionDefinition): Promise<string[]> {
  return Object.keys(fieldsIn({ ...(await input()).toJSONSchema({ io: 'input', unrepresentable: 'any' }) }));
}

async function selected(
  { rawQuery }: HttpRequest,
  reading: Reading | Promise<Reading>,
  schema: () => Promise<z.ZodType>,
  name: string,
): Promise<Response> {
  return jsonResponse(await selectedBy(rawQuery, (await reading).payload, schema, name));
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
