import { budgets } from '../../access/limits/budgets.ts';
import { limitConnections } from '../../access/limits/connection-watch.ts';
import { createUnauthenticatedRateLimiter } from '../../access/limits/unauthenticated-rate-limiter.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import { createKnownNames } from '../../access/origin/allowed-hosts.ts';
import { createOpenServedFile } from '../../core/files/open-served-file.ts';
import { createRequestLines } from '../../core/request-log.ts';
import { defineTransport, type TransportParts } from '../../core/transport.ts';
import { codeOf } from '../../lib/errors.ts';
import { createFairShare } from './fair-share.ts';
import { createFileSending } from './files/server.files.ts';
import { createHandler } from './handler.ts';
import { problemOf } from './respond.ts';
import { authorityRoute } from './routes/authority-route.ts';
import { createDashboard } from './routes/dashboard.ts';
import { createRoutes } from './routes.ts';
import type { Secure } from './secure.ts';
import { readWebPack } from './server.assets.ts';
import { createSocketSeam } from './server.sockets.ts';
import { explainListening, type HttpServer, type SecureOptions, startHttpServer } from './server.ts';
import { createUnreadAnswers } from './unread-answers.ts';

/** Grace period for responses in progress. */
const graceMs = 300;

/** The ports, without and with TLS. They open when everything behind them stands, so this is the last in the list. */
export const httpTransport = defineTransport({
  name: 'http',
  start(parts) {
    const { service, host, log, settings, signIn, pairing, listenOn, routeTable, timers } = parts;
    const { plain: plainAccess, tls } = settings.current().server;
    refuseNoWay(parts);
    const { clock } = host;
    const unauthenticated = createUnreadBudget(budgets.unauthenticated.unreadBytes);
    const unreadAnswers = createUnreadAnswers(clock, routeTable.unread, unauthenticated);
    const files = createFileSending({
      admits: service.files.admits,
      onTokensChange: service.onTokensChange,
      inspect: host.ownSockets?.inspect ?? null,
      log,
    });
    for (const [path, methods] of [
      ...createRoutes({
        service,
        clock,
        unreadAnswers,
        signIn,
        pairing,
        ownCertificates: () => secure?.certificates() ?? [],
        secure() {
          const port = secure?.port() ?? null;
          return port === null ? null : { port, own_authority: tls === 'auto' };
        },
      }),
      ...Object.entries(authorityRoute(parts)),
    ])
      routeTable.routes.set(path, methods);
    const handlerParts = {
      service,
      log,
      routeTable,
      unreadAnswers,
      openServedFile: createOpenServedFile(host, settings.current),
      fileBody: files.body,
      rateLimiter: createUnauthenticatedRateLimiter(budgets.unauthenticated.turn, clock),
      fairShare: createFairShare(budgets.caller.turn, clock),
      knownNames: createKnownNames(host, settings.current),
      basePath: () => settings.current().server,
      dashboard: createDashboard(readWebPack, () => settings.current().dashboard.machines.map(({ url }) => url)),
    };
    const plainLines = createRequestLines('http', log, clock);
    const secureLines = createRequestLines('https', log, clock);
    const sockets = createSocketSeam(() => routeTable.sockets);
    const ports = () => [plain?.port ?? null, secure?.port() ?? null].filter((port) => port !== null);
    const connections = limitConnections(host.ownSockets, timers, {
      ports,
      clock,
      log,
      isKnownAddress: service.isKnownAddress,
      socketAt: (connection) =>
        routeTable.sockets?.socketAt(connection, connection.localPort === secure?.port()) ?? null,
    });

    /** All ports share the routes; the port of a request determines its own origin and its peer. */
    const open = (address: string, port: number, options?: SecureOptions): HttpServer => {
      const handle = createHandler({
        ...handlerParts,
        requestLines: options === undefined ? plainLines : secureLines,
        port: () => server.port,
        peer: {
          end: (raw) => server.end(raw),
          unhurried: (raw) => server.unhurried(raw),
          upgrade: (raw, socketPeer, place) => server.upgrade(raw, socketPeer, place),
          isOurUser: (end, how) => host.isOurPeer(end, server.port, how),
          isEncrypted: options !== undefined,
        },
      });
      const server = startHttpServer({
        host: address,
        port,
        handle(request) {
          connections?.requested();
          return handle(request);
        },
        files,
        sockets,
        onError: (error) => problemOf(error, log),
        ...(options === undefined ? {} : { tls: options }),
      });
      // `ports` does not return it yet.
      if (connections !== null && options !== undefined) clock.after(0, connections.opened);
      return server;
    };

    const plainAddress = plainAccess === 'local' ? loopback : listenOn.address;
    const plain =
      plainAccess === 'off'
        ? null
        : explainListening(plainAddress, listenOn.port, () => open(plainAddress, listenOn.port));
    const twin = plain === null ? null : openTwin(plainAddress, plain.port, open, log);
    let secure: Secure | null = null;
    let stopped = false;
    routeTable.listener = {
      address: listenOn.address,
      plain: plain === null ? null : { port: plain.port, isLocalOnly: plainAccess === 'local' },
      securePort: () => secure?.port() ?? null,
      publish: sockets.publish,
    };

    const startSecure = async () => {
      const { createSecure } = await import('./secure.ts');
      if (stopped) return;
      secure = createSecure(parts, {
        open: (options, port) => open(listenOn.address, port, options),
        isNeeded: plain === null,
        opened() {
          for (const changed of routeTable.listenerChanged) changed();
        },
      });
      await secure.begin();
    };

    return {
      ready: tls === 'off' ? null : startSecure(),
      async stop() {
        stopped = true;
        connections?.stop();
        files.stop();
        await Promise.all([plain?.stop(graceMs), twin?.stop(graceMs), secure?.stop(graceMs)]);
      },
    };
  },
});

const loopback = '127.0.0.1';
const twins: Record<string, string> = { [loopback]: '::1', '0.0.0.0': '::1', '::1': loopback };

/** "localhost" is both addresses: at the one left free another user could serve pages in the origin of this service. null: it is not needed or taken. */
function openTwin(
  address: string,
  port: number,
  open: (address: string, port: number) => HttpServer,
  log: TransportParts['log'],
): HttpServer | null {
  const other = twins[address];
  if (other === undefined) return null;
  try {
    return open(other, port);
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE')
      log.warn(
        `http: another program has port ${port} of ${other}, and may answer at http://localhost:${port}; use http://${address === '::1' ? '[::1]' : loopback}:${port}`,
      );
    return null;
  }
}

function refuseNoWay({ settings }: TransportParts): void {
  const { plain, tls } = settings.current().server;
  if (plain === 'off' && tls === 'off')
    throw new Error(
      'No port would be open: server.plain and server.tls are both off. Set server.tls to auto, or server.plain to local',
    );
}
