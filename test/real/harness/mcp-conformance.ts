import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { budgets } from '../../../src/access/limits/budgets.ts';
import { createLockout } from '../../../src/access/limits/lockout.ts';
import { createUnreadBudget } from '../../../src/access/limits/unread-budget.ts';
import { createKnownNames } from '../../../src/access/origin/allowed-hosts.ts';
import { createLoginCodes } from '../../../src/access/sessions/login-codes.ts';
import { openBrowserSessions } from '../../../src/access/sessions/sessions.ts';
import { createFileTickets } from '../../../src/access/tokens/file-tickets.ts';
import { createTokenUses } from '../../../src/access/tokens/token-uses.ts';
import { openTokens } from '../../../src/access/tokens/tokens.ts';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createRouteTable } from '../../../src/core/route-table.ts';
import { createService } from '../../../src/core/service.ts';
import { createStore } from '../../../src/core/store.ts';
import { createSubscribers } from '../../../src/core/subscribers.ts';
import { defaultSettings, scopes } from '../../../src/features/index.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { createFileSending } from '../../../src/transports/http/files/server.files.ts';
import { createHandler } from '../../../src/transports/http/handler.ts';
import { createSocketSeam } from '../../../src/transports/http/server.sockets.ts';
import { startHttpServer } from '../../../src/transports/http/server.ts';
import { createEndpoint } from '../../../src/transports/mcp/endpoint.ts';
import { createMcp } from '../../../src/transports/mcp/mcp.ts';
import { fakeContext, noHistory } from '../../doubles/fake-host.ts';
import { fixtureServer } from './mcp-fixtures.ts';

export interface FixtureService {
  port: number;
  token: string;
  stop(): Promise<void>;
}

/** The HTTP server, the guards and the MCP endpoint of the service, with the tools of the conformance suite behind them. */
export function startFixtureService(): FixtureService {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-mcp-'));
  const real = createLinuxHost('6.0.0', startThread);
  const host = { ...real, paths: { ...real.paths, state: directory, config: directory } };
  const { log } = fakeContext();
  const settings = () => defaultSettings;
  const tokens = openTokens(scopes, host);
  const store = createStore({ modules: [], host, context: fakeContext() });
  const { clock } = host;
  const service = createService({
    scopes: scopes.all,
    history: noHistory,
    version: '6.0.0',
    modules: [],
    store,
    actions: [],
    tokens,
    browsers: openBrowserSessions(scopes, host, tokens),
    tickets: createFileTickets(clock),
    budgets,
    lockout: createLockout(clock),
    login: createLoginCodes(host),
    uses: createTokenUses(host),
    settings,
    shownSettings: async () => settings(),
    changeSettings: async () => settings(),
    subscribers: createSubscribers(store, clock),
    exit: () => {},
    host,
    log,
  });
  const endpoint = createEndpoint({
    makeServer: (_caller, followed) => fixtureServer(followed, () => endpoint.toolsChanged()),
    watches: { watch: () => () => {} },
    clock,
    lasting: () => {},
  });
  const mcp = createMcp({
    service,
    settings,
    log,
    clock,
    load: async () => ({ ...endpoint, missingScope: async () => null }),
  });
  const files = createFileSending({ admits: () => true, onTokensChange: () => () => {}, inspect: null, log });
  const sockets = createSocketSeam(() => null);
  const routeTable = createRouteTable(createUnreadBudget(budgets.all.unreadBytes));
  routeTable.routes.set('/api/mcp', { GET: mcp.answer, POST: mcp.answer, DELETE: mcp.answer });
  const handle = createHandler({
    service,
    log,
    requestLines: { begin: () => null },
    openServedFile: () => {
      throw new Error('there are no files here');
    },
    fileBody: files.body,
    routeTable,
    knownNames: createKnownNames(host, settings),
    basePath: () => settings().server,
    port: () => server.port,
    dashboard: async () => new Response(null, { status: 404 }),
    rateLimiter: { admits: () => true },
    unreadAnswers: { paced: (response) => response },
    fairShare: { take: (_from, answer) => answer() },
    peer: {
      end: (raw) => server.end(raw),
      unhurried: (raw) => server.unhurried(raw),
      isOurUser: (end, how) => host.isOurPeer(end, server.port, how),
      isEncrypted: false,
    },
  });
  const server = startHttpServer({
    host: '127.0.0.1',
    port: 0,
    handle,
    files,
    sockets,
    onError: () => new Response(null, { status: 500 }),
  });
  return {
    port: server.port,
    token: tokens.first(),
    async stop() {
      await mcp.close();
      await server.stop(0);
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The suite cannot send our header: the proxy adds the token, and passes on everything else unchanged. */
export function startTokenProxy({ port, token }: Pick<FixtureService, 'port' | 'token'>) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set('Authorization', `Bearer ${token}`);
      // The address of the proxy replaces that of the service; anything else is passed on to be checked.
      for (const name of ['host', 'origin']) {
        const value = headers.get(name);
        if (value !== null) headers.set(name, value.replace(`:${server.port}`, `:${port}`));
      }
      const answer = await fetch(`http://127.0.0.1:${port}${pathname}`, {
        method: request.method,
        headers,
        body: request.method === 'POST' ? await request.text() : null,
        signal: request.signal,
        proxy: '',
        // A reused connection may be closed by the peer just when it is used again, and the request is lost.
        keepalive: false,
      });
      return new Response(answer.body, { status: answer.status, headers: answer.headers });
    },
  });
  return { port: server.port ?? 0, stop: () => server.stop(true) };
}
