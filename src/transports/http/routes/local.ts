import type { Pairing } from '../../../access/pairing/pairing.ts';
import type { Scope } from '../../../access/scopes.ts';
import type { SignIn } from '../../../access/sessions/sign-in.ts';
import { actionStatesFor } from '../../../core/action-state.ts';
import { type Caller, commandLineId } from '../../../core/caller.ts';
import { parse } from '../../../core/json/parse.ts';
import type { Reading } from '../../../core/reading.ts';
import type { Routes } from '../../../core/route-table.ts';
import type { Service } from '../../../core/service.ts';
import type { StoreView } from '../../../core/store.ts';
import type { LogTail } from '../../../lib/log-tail.ts';
import { isObject } from '../../../lib/values.ts';
import { readActionJson, readJson } from '../body.ts';
import { jsonResponse, problem, serialisedResponse } from '../respond.ts';
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
  signIn: Pick<SignIn, 'offer'>;
  pairing(): Promise<Pairing>;
  /** The service's address for a browser on this machine. */
  base(): string;
  /** The address of a pressed notification; false: it is unknown. */
  acceptPress(address: string): Promise<boolean>;
  /** The last log lines; null: not recorded. */
  logTail: LogTail | null;
}

/**
 * The routes for commands of the service's user. A client that can connect to the socket can also read the first token, so no token
 * is required: none is sent to a program that took the port of a dead service. Only agents authenticate: they have fewer rights.
 */
export function createLocalRoutes({ service, signIn, pairing, base, acceptPress, logTail }: LocalParts): Routes {
  const { version } = service;
  const { names, aliases } = service.store;
  const started = new Date(performance.timeOrigin).toISOString();
  const commandLine = commandLineWith(service.scopes);
  const store = service.store.seenBy(commandLine);
  const routes: Routes = {
    [localRoutes.health]: { GET: () => jsonResponse({ status: 'healthy', version }) },
    [localRoutes.modules]: { GET: async () => jsonResponse(await store.describe()) },
    [localRoutes.actions]: { GET: async () => jsonResponse(await actionStatesFor(service, commandLine)) },
    [localRoutes.status]: { GET: () => jsonResponse({ version, started, listeners: service.subscribers.count() }) },
    [localRoutes.logs]: { GET: () => jsonResponse({ lines: logTail?.lines() ?? [] }) },
    [localRoutes.newLogs]: { GET: () => newLines(logTail) },
    [localRoutes.tokens]: { GET: async () => jsonResponse(await service.tokens.list(commandLine)) },
    [localRoutes.signIn]: { POST: () => jsonResponse(signIn.offer((code) => loginFile(base(), code))) },
    [localRoutes.press]: {
      async POST({ raw }) {
        const body = await readJson(raw);
        const isKnown = isObject(body) && typeof body.address === 'string' && (await acceptPress(body.address));
        return isKnown ? jsonResponse({}) : problem(404, 'There is no such notification any more');
      },
    },
    [localRoutes.pairCode]: {
      async POST({ raw }) {
        const { createPairCodeSchema } = await import('./pair.schema.ts');
        const { scopes } = parse(createPairCodeSchema(service.scopes), await readJson(raw), 'pairing');
        return jsonResponse((await pairing()).printCode(scopes));
      },
    },
  };
  for (const name of [...names, ...aliases]) {
    routes[localRoutes.data(name)] = { GET: async () => serialisedResponse((await store.get(name)).text) };
    routes[localRoutes.changes(name)] = { GET: () => changesOf(store, name) };
  }
  for (const action of service.actions)
    routes[localRoutes.action(action.name)] = {
      async POST({ raw }) {
        const input = await readActionJson(raw, commandLine, action.inputBytes);
        const { message, data } = await service.perform(action, input, commandLine, { gone: () => raw.signal });
        return jsonResponse({ status: 'success', message, data });
      },
    };
  return routes;
}

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
