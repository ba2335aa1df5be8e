import path from 'node:path';
import { createAudit } from './access/audit.ts';
import { createLockout } from './access/lockout.ts';
import { createLoginCodes } from './access/login.ts';
import { createKnownNames } from './access/machine-names.ts';
import { openTokens } from './access/tokens.ts';
import { createOpenServedFile } from './actions/files/served-file.ts';
import { actions } from './actions/index.ts';
import { advertise } from './advertise.ts';
import { createAskUser } from './ask-user.ts';
import { createHall } from './core/audience.ts';
import { isLocal } from './core/caller.ts';
import { codeOf, messageOf } from './core/errors.ts';
import type { Log, LogLevel } from './core/log.ts';
import { createService } from './core/service.ts';
import { createStore } from './core/store.ts';
import { watchWake } from './core/wake.ts';
import type { Host } from './host/host.ts';
import { isolateInWorker } from './isolate.ts';
import { modules } from './modules/index.ts';
import { openSettings } from './settings/settings.ts';
import { agentKit } from './tools/index.ts';
import { createDashboard } from './transports/http/dashboard.ts';
import { createHandler } from './transports/http/handler.ts';
import { createLocalHandler } from './transports/http/local.ts';
import { problemOf } from './transports/http/respond.ts';
import { readWebPack } from './transports/http/server.assets.ts';
import { createFileSending } from './transports/http/server.files.ts';
import { type LocalServer, startLocalServer } from './transports/http/server.local.ts';
import { createSockets } from './transports/http/server.sockets.ts';
import { startHttpServer } from './transports/http/server.ts';
import { createSocketRoute } from './transports/http/socket-route.ts';
import { createMcp } from './transports/mcp/mcp.ts';
import { createLive } from './transports/ws/live.ts';
import { version } from './version.ts';

/** What the environment and the command line say; they win over the settings file. */
export interface ServeOptions {
  host: string | null;
  port: number | null;
  logLevel: LogLevel | null;
  /** Somebody who may has asked the service to end. */
  exit(): void;
}

/** Lets the answer to whoever asked for the end go out first. */
const exitAfterMs = 100;

export interface RunningService {
  host: string;
  port: number;
  tokenFile: string;
  /** For the commands of this machine; good for reading, and for this run. */
  readToken: string;
  /** Where the commands of this user send actions; null: it could not be opened. */
  socket: string | null;
  stop(): Promise<void>;
}

/** Puts the parts together: settings → host → store → service → transports. */
export async function startService(host: Host, log: Log, options: ServeOptions): Promise<RunningService> {
  prepareState(host, log);
  const settings = await using('The settings', () => openSettings(host, log, { setAside: true }));
  const level = () => options.logLevel ?? settings.current().logLevel;
  log.setLevel(level());
  const tokens = openTokens(host, log.warn);
  await using('The token', async () => tokens.first());
  const context = { version, settings: settings.current, log };
  const store = createStore({ modules, host, context, isolate: isolateInWorker(context, host.clock) });
  const audience = createHall(store, host.clock);
  const stopWatching = watchWake(host.clock, audience, () => void store.refresh());
  const service = createService({
    version,
    modules,
    store,
    actions,
    tokens,
    lockout: createLockout(host.clock),
    login: createLoginCodes(host),
    settings: settings.current,
    changeSettings: (patch, caller) => settings.update(patch, { local: isLocal(caller) }),
    audience,
    exit: () => void host.clock.after(exitAfterMs, options.exit),
    host,
    log,
  });
  const { server: configured } = settings.current();
  const files = createFileSending();
  const mcp = createMcp({
    service,
    settings: settings.current,
    log,
    after: host.clock.after,
    load: async (lasting) => (await import('./transports/mcp/agents.ts')).createAgents(agents, lasting),
  });
  const agents = {
    service,
    settings: settings.current,
    kit: agentKit,
    askUser: createAskUser(host),
    audit: createAudit(host, log.warn),
    log,
    now: host.clock.now,
    monotonic: host.clock.monotonic,
    after: host.clock.after,
  };
  const sockets = createSockets(() => live);
  const handle = createHandler({
    service,
    log,
    openServedFile: createOpenServedFile(host, settings.current),
    fileBody: files.body,
    now: host.clock.now,
    knownNames: createKnownNames(host, settings.current),
    port: () => http.port,
    answerAgent: mcp.answer,
    metrics: async () =>
      (await import('./transports/metrics/metrics.ts')).metricsResponse(
        { modules, store, host, version },
        settings.current().metrics.enabled,
      ),
    dashboard: createDashboard(readWebPack),
    openSocket: createSocketRoute(sockets, () => live.hasRoom()),
  });
  const live = createLive({
    service,
    log,
    publish: sockets.publish,
    monotonic: host.clock.monotonic,
    after: host.clock.after,
    soon: (callback) => void host.clock.after(0, callback),
  });
  const address = options.host ?? configured.host;
  const port = options.port ?? configured.port;
  const http = listening(address, port, () =>
    startHttpServer({
      host: address,
      port,
      handle,
      files,
      sockets,
      onError: (error) => problemOf(error, log),
    }),
  );
  const socket = path.join(host.paths.state, `cli-${host.environment.pid}.sock`);
  const local = startLocal(host, log, socket, createLocalHandler(service, log));
  settings.follow();
  const stopAdvertising = advertise({ host, settings, log, address, port: http.port });
  settings.onChange(() => {
    log.setLevel(level());
    void store.refresh();
    mcp.settingsChanged();
  });
  return {
    host: address,
    port: http.port,
    tokenFile: tokens.firstFile,
    readToken: tokens.adopt('cli', ['read']),
    socket: local === null ? null : socket,
    async stop() {
      stopWatching();
      settings.close();
      live.close();
      await mcp.close();
      await Promise.all([stopAdvertising(), http.stop(300), local?.stop()]);
      await service.close();
      store.close();
      await host.close();
    },
  };
}

/** Without it the service works; only some commands do not. */
function startLocal(
  { storage }: Host,
  log: Log,
  socket: string,
  handle: (request: Request) => Promise<Response>,
): LocalServer | null {
  try {
    // One of an earlier process with this number.
    storage.remove(socket);
    return startLocalServer({ socket, handle, onError: (error) => problemOf(error, log) });
  } catch (error) {
    log.warn(`Commands such as "hostler power" cannot reach this service: ${messageOf(error)}`);
    return null;
  }
}

/** Files that cannot be used end the start with a sentence, not with a code. */
async function using<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what} cannot be read or written: ${messageOf(cause)}. Check who owns the file and its rights`, {
      cause,
    });
  }
}

function prepareState({ storage, paths }: Host, log: Log): void {
  try {
    storage.prepareDirectory(paths.state);
    const open = storage.openTo(paths.state);
    if (open !== null)
      log.warn(
        `The state directory ${paths.state} is not safe: ${open}, and could give themselves a token. Use chmod 700 and chown`,
      );
  } catch (cause) {
    throw new Error(
      `The state directory ${paths.state} cannot be used (${messageOf(cause)}). Make it readable and writable for this user, or name another one in SERVICE_STATE_DIR`,
      { cause },
    );
  }
}

/** The system's code as one sentence that says what to do. */
function listening<T>(address: string, port: number, listen: () => T): T {
  try {
    return listen();
  } catch (cause) {
    const sentences: Record<string, string> = {
      EADDRINUSE: `Port ${port} is in use by another program (perhaps another Hostler). Stop it, or choose another port: SERVICE_PORT=${port === 65_535 ? 9170 : port + 1}`,
      EACCES: `Port ${port} may not be used by this user: ports below 1024 need privileges. Choose another one with SERVICE_PORT`,
    };
    const sentence =
      sentences[codeOf(cause) ?? ''] ??
      `${JSON.stringify(address)} is no address of this machine that can be listened on (${messageOf(cause)}). Correct SERVICE_HOST or server.host, or leave it out to listen on all`;
    throw new Error(sentence, { cause });
  }
}
