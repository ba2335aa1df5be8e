import type { Pairing } from '../../../access/pairing/pairing.ts';
import type { Scope } from '../../../access/scopes.ts';
import type { SignIn } from '../../../access/sessions/sign-in.ts';
import { actionStatesFor } from '../../../core/action-state.ts';
import { type Caller, commandLineId } from '../../../core/caller.ts';
import { parse } from '../../../core/json/parse.ts';
import type { Reading } from '../../../core/reading.ts';
import type { HttpRequest, Methods } from '../../../core/route-table.ts';
import type { Service } from '../../../core/service.ts';
import type { StoreView } from '../../../core/store.ts';
import type { Log } from '../../../lib/log.ts';
import type { LogTail } from '../../../lib/log-tail.ts';
import { readActionJson, readJson } from '../body.ts';
import { toHttpRequest } from '../request.ts';
import { bytesResponse, jsonResponse, problem, problemOf } from '../respond.ts';
import { loginFile } from './login-page.ts';

/** What the commands of this machine find on the socket. */
export const localRoutes = {
  health: '/health',
  modules: '/modules',
  actions: '/actions',
  status: '/status',
  logs: '/logs',
  /** One line of JSON for each further line. */
  newLogs: '/logs/new',
  signIn: '/sign-in',
  pairCode: '/pair-code',
  tokens: '/tokens',
  agents: '/api/mcp',
  /** How a transport is doing. */
  data: (module: string) => `/data/${module}` as const,
  /** One line of JSON for each change, for as long as somebody listens. */
  changes: (module: string) => `/changes/${module}` as const,
  action: (name: string) => `/actions/${name}` as const,
} as const;

/** What can be asked for there; the routes of the port are others. */
export type LocalRoute =
  | '/health'
  | '/modules'
  | '/actions'
  | '/status'
  | '/logs'
  | '/logs/new'
  | '/sign-in'
  | '/pair-code'
  | '/tokens'
  | `/data/${string}`
  | `/mqtt${string}`
  | '/otlp';

export interface LocalParts {
  service: Service;
  log: Log;
  signIn: Pick<SignIn, 'offer'>;
  pairing(): Promise<Pairing>;
  /** Where a browser on this machine reaches the service. */
  base(): string;
  answerAgent(request: HttpRequest): Promise<Response>;
  /** What other transports answer here. */
  others: ReadonlyMap<string, Methods>;
  /** What was logged last; null: nobody keeps it. */
  logTail: LogTail | null;
}

/**
 * Everything for the commands of the user whose service this is. Whoever can connect to the socket can read the first token as well, so no token
 * is asked for: none travels, and whoever took the port of a service that died is never asked. Only agents say who they are: they may less.
 */
export function createLocalHandler(parts: LocalParts): (request: Request) => Promise<Response> {
  const { service, log, signIn, pairing, base, answerAgent, others, logTail } = parts;
  const { version } = service;
  const { names, aliases } = service.store;
  const commandLine = commandLineWith(service.scopes);
  const store = service.store.seenBy(commandLine);
  const routes = new Map<string, (request: Request) => Response | Promise<Response>>([
    [`GET ${localRoutes.health}`, () => jsonResponse({ status: 'healthy', version })],
    [`GET ${localRoutes.modules}`, async () => jsonResponse(await store.describe())],
    [`GET ${localRoutes.actions}`, async () => jsonResponse(await actionStatesFor(service, commandLine))],
    [
      `GET ${localRoutes.status}`,
      () =>
        jsonResponse({
          version,
          started: new Date(performance.timeOrigin).toISOString(),
          listeners: service.audience.count(),
        }),
    ],
    [`GET ${localRoutes.logs}`, () => jsonResponse({ lines: logTail?.lines() ?? [] })],
    [`GET ${localRoutes.newLogs}`, () => newLines(logTail)],
    [`GET ${localRoutes.tokens}`, async () => jsonResponse(await service.tokens.list(commandLine))],
    [`POST ${localRoutes.signIn}`, () => jsonResponse(signIn.offer((code) => loginFile(base(), code)))],
    [
      `POST ${localRoutes.pairCode}`,
      async (request) => {
        const { createPairCodeSchema } = await import('./pair.schema.ts');
        const { scopes } = parse(createPairCodeSchema(service.scopes), await readJson(request), 'pairing');
        return jsonResponse((await pairing()).printCode(scopes));
      },
    ],
    ...[...names, ...aliases].flatMap((name): [string, () => Response | Promise<Response>][] => [
      [`GET ${localRoutes.data(name)}`, async () => bytesResponse((await store.get(name)).bytes)],
      [`GET ${localRoutes.changes(name)}`, () => changesOf(store, name)],
    ]),
    ...service.actions.map((action): [string, (request: Request) => Promise<Response>] => [
      `POST ${localRoutes.action(action.name)}`,
      async (request) => {
        const { message, data } = await service.perform(
          action,
          await readActionJson(request, commandLine, action.inputBytes),
          commandLine,
          {
            gone: () => request.signal,
          },
        );
        return jsonResponse({ status: 'success', message, data });
      },
    ]),
  ]);
  const paths = new Set([...routes.keys()].map((key) => key.slice(key.indexOf(' ') + 1)));
  return async (request) => {
    try {
      const { pathname } = new URL(request.url, 'http://localhost');
      if (pathname === localRoutes.agents) return await answerAgent(toHttpRequest(request, here));
      const other = others.get(pathname);
      if (other !== undefined) {
        const answer = other[request.method];
        return answer === undefined
          ? problem(405, `${pathname} does not take ${request.method}`)
          : await answer(toHttpRequest(request, here));
      }
      const answer = routes.get(`${request.method} ${pathname}`);
      if (answer !== undefined) return await answer(request);
      if (paths.has(pathname)) return problem(405, `${request.method} is not allowed at ${pathname}`);
      // Names of modules that do not exist are answered with those that do.
      if (pathname.startsWith('/data/')) service.store.get(decodeURIComponent(pathname.slice('/data/'.length)));
      return problem(404, 'The running service does not know this; it may be another version. Restart it');
    } catch (thrown) {
      return problemOf(thrown, log);
    }
  };
}

const here = { end: () => ({ address: '127.0.0.1', port: 0 }), isOurUser: async () => true, isEncrypted: false };

/** What is said for a token where commands of this machine do something. */
export const commandLineName = 'command line';

const commandLineWith = (scopes: readonly Scope[]): Caller => ({
  tokenName: commandLineName,
  tokenId: commandLineId,
  scopes: new Set(scopes),
  connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => true }),
});

/** Somebody who does not read misses some. */
function newLines(tail: LogTail | null): Response {
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (line: string) => {
        if ((controller.desiredSize ?? 0) > -mostWaiting)
          controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
      };
      stop = tail?.follow(send) ?? stop;
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' } });
}

const mostWaiting = 1000;

/** Somebody who does not read gets the newest state when he does, and nothing is kept for him but that. */
function changesOf(store: StoreView, name: string): Response {
  let stop = () => {};
  let newest: Reading | null = null;
  const send = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (newest === null || (controller.desiredSize ?? 0) <= 0) return;
    controller.enqueue(new TextEncoder().encode(`${newest.text}\n`));
    newest = null;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stop = store.listen(name, (reading) => {
        newest = reading;
        send(controller);
      });
    },
    pull: send,
    cancel: () => stop(),
  });
  return new Response(body, { headers: { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' } });
}
