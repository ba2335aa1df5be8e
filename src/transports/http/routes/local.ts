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
import { isObject } from '../../../lib/values.ts';
import { readActionJson, readJson } from '../body.ts';
import { toHttpRequest } from '../request.ts';
import { jsonResponse, problem, problemOf, serialisedResponse } from '../respond.ts';
import { loginFile } from './login-page.ts';

/** The routes of the local socket for commands. */
export const localRoutes = {
  health: '/health',
  modules: '/modules',
  actions: '/actions',
  status: '/status',
  logs: '/logs',
  /** One JSON line for each further log line. */
  newLogs: '/logs/new',
  signIn: '/sign-in',
  pairCode: '/pair-code',
  tokens: '/tokens',
  press: '/press',
  agents: '/api/mcp',
  /** Status of a transport. */
  data: (module: string) => `/data/${module}` as const,
  /** One JSON line for each change, while the client is connected. */
  changes: (module: string) => `/changes/${module}` as const,
  action: (name: string) => `/actions/${name}` as const,
} as const;

/** Paths on the local socket; the ports have other routes. */
export type LocalRoute =
  | Extract<(typeof localRoutes)[keyof typeof localRoutes], string>
  | `/data/${string}`
  | `/mqtt${string}`
  | '/otlp';

export interface LocalParts {
  service: Service;
  log: Log;
  signIn: Pick<SignIn, 'offer'>;
  pairing(): Promise<Pairing>;
  /** The service's address for a browser on this machine. */
  base(): string;
  answerAgent(request: HttpRequest): Promise<Response>;
  /** The address of a pressed notification; false: it is unknown. */
  acceptPress(address: string): Promise<boolean>;
  /** Routes of other transports. */
  others: ReadonlyMap<string, Methods>;
  /** The last log lines; null: not recorded. */
  logTail: LogTail | null;
}

/**
 * The routes for commands of the service's user. A client that can connect to the socket can also read the first token, so no token
 * is required: none is sent to a program that took the port of a dead service. Only agents authenticate: they have fewer rights.
 */
export function createLocalHandler(parts: LocalParts): (request: Request) => Promise<Response> {
  const { service, log, signIn, pairing, base, answerAgent, others, logTail } = parts;
  const { version } = service;
  const { names, aliases } = service.store;
  const started = new Date(performance.timeOrigin).toISOString();
  const commandLine = commandLineWith(service.scopes);
  const store = service.store.seenBy(commandLine);
  const routes = new Map<string, (request: Request) => Response | Promise<Response>>([
    [`GET ${localRoutes.health}`, () => jsonResponse({ status: 'healthy', version })],
    [`GET ${localRoutes.modules}`, async () => jsonResponse(await store.describe())],
    [`GET ${localRoutes.actions}`, async () => jsonResponse(await actionStatesFor(service, commandLine))],
    [`GET ${localRoutes.status}`, () => jsonResponse({ version, started, listeners: service.subscribers.count() })],
    [`GET ${localRoutes.logs}`, () => jsonResponse({ lines: logTail?.lines() ?? [] })],
    [`GET ${localRoutes.newLogs}`, () => newLines(logTail)],
    [`GET ${localRoutes.tokens}`, async () => jsonResponse(await service.tokens.list(commandLine))],
    [`POST ${localRoutes.signIn}`, () => jsonResponse(signIn.offer((code) => loginFile(base(), code)))],
    [
      `POST ${localRoutes.press}`,
      async (request) => {
        const body = await readJson(request);
        const isKnown = isObject(body) && typeof body.address === 'string' && (await parts.acceptPress(body.address));
        return isKnown ? jsonResponse({}) : problem(404, 'There is no such notification any more');
      },
    ],
    [
      `POST ${localRoutes.pairCode}`,
      async (request) => {
        const { createPairCodeSchema } = await import('./pair.schema.ts');
        const { scopes } = parse(createPairCodeSchema(service.scopes), await readJson(request), 'pairing');
        return jsonResponse((await pairing()).printCode(scopes));
      },
    ],
    ...[...names, ...aliases].flatMap((name): [string, () => Response | Promise<Response>][] => [
      [`GET ${localRoutes.data(name)}`, async () => serialisedResponse((await store.get(name)).text)],
      [`GET ${localRoutes.changes(name)}`, () => changesOf(store, name)],
    ]),
    ...service.actions.map((action): [string, (request: Request) => Promise<Response>] => [
      `POST ${localRoutes.action(action.name)}`,
      async (request) => {
        const input = await readActionJson(request, commandLine, action.inputBytes);
        const gone = () => request.signal;
        const { message, data } = await service.perform(action, input, commandLine, { gone });
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
      // An unknown module name is answered with the known ones.
      if (pathname.startsWith('/data/')) service.store.get(decodeURIComponent(pathname.slice('/data/'.length)));
      return problem(404, 'The running service does not support this request; it may have another version. Restart it');
    } catch (thrown) {
      return problemOf(thrown, log);
    }
  };
}

const here = { end: () => ({ address: '127.0.0.1', port: 0 }), isOurUser: async () => true, isEncrypted: false };

/** The token name that is recorded for local commands. */
export const commandLineName = 'command line';

const commandLineWith = (scopes: readonly Scope[]): Caller => ({
  tokenName: commandLineName,
  tokenId: commandLineId,
  scopes: new Set(scopes),
  connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => true }),
});

/** A client that does not read misses lines. */
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

/** A client that does not read gets the newest state when it reads again; only that state is buffered. */
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
      const changed = (reading: Reading) => {
        newest = reading;
        send(controller);
      };
      stop = store.listen(name, changed, { live: true });
    },
    pull: send,
    cancel: () => stop(),
  });
  return new Response(body, { headers: { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' } });
}
