import path from 'node:path';
import { type Audit, createAudit } from './access/audit.ts';
import { createCrowd } from './access/crowd.ts';
import { createLocality } from './access/locality.ts';
import { createKnownNames } from './access/machine-names.ts';
import type { SignIn } from './access/sign-in.ts';
import { advertise } from './advertise.ts';
import { createAskUser } from './ask-user.ts';
import type { Service } from './core/service.ts';
import type { Host } from './host/host.ts';
import { messageOf } from './lib/errors.ts';
import type { Log } from './lib/log.ts';
import { listening } from './serve.problems.ts';
import type { SettingsStore } from './settings/settings.ts';
import { agentKit } from './tools/index.ts';
import { createDashboard } from './transports/http/dashboard.ts';
import { createHandler } from './transports/http/handler.ts';
import { createLocalHandler } from './transports/http/local.ts';
import { ownUrl } from './transports/http/own-url.ts';
import { problemOf } from './transports/http/respond.ts';
import { readWebPack } from './transports/http/server.assets.ts';
import { createFileSending } from './transports/http/server.files.ts';
import { type LocalServer, longestSocketPath, startLocalServer } from './transports/http/server.local.ts';
import { createSockets } from './transports/http/server.sockets.ts';
import { startHttpServer } from './transports/http/server.ts';
import { createSocketRoute } from './transports/http/socket-route.ts';
import { createMcp } from './transports/mcp/mcp.ts';
import { createLive } from './transports/ws/live.ts';
import { createOpenServedFile } from './user-files/open-served-file.ts';

export interface TransportParts {
  host: Host;
  log: Log;
  settings: SettingsStore;
  service: Service;
  signIn: SignIn;
  address: string;
  port: number;
}

/** Everything by which the service is reached. */
export interface Transports {
  /** The one it really has. */
  port: number;
  /** Where the commands of this user find the service; null: it could not be opened. */
  socket: string | null;
  settingsChanged(): void;
  stop(): Promise<void>;
}

/** Lets answers under way finish for this long. */
const graceMs = 300;

export function startTransports({ host, log, settings, service, signIn, address, port }: TransportParts): Transports {
  const { clock } = host;
  const { version, modules, store } = service;
  const files = createFileSending();
  const sockets = createSockets(() => live);
  const live = createLive({
    service,
    log,
    publish: sockets.publish,
    monotonic: clock.monotonic,
    after: clock.after,
    soon: (callback) => void clock.after(0, callback),
  });
  const mcp = createAgents(host, log, settings, service);
  const handle = createHandler({
    service,
    log,
    openServedFile: createOpenServedFile(host, settings.current),
    fileBody: files.body,
    now: clock.now,
    knownNames: createKnownNames(host, settings.current),
    port: () => http.port,
    isOurUser: createLocality(host, () => ({ address, port: http.port })),
    signIn,
    answerAgent: mcp.answer,
    metrics: async () =>
      (await import('./transports/metrics/metrics.ts')).metricsResponse(
        { modules, store, host, version },
        settings.current().metrics.enabled,
      ),
    dashboard: createDashboard(readWebPack),
    openSocket: createSocketRoute(sockets, (address, gone) => live.enter(address, gone)),
  });
  const crowd = createCrowd({ open: host.doorway, port: () => http.port, clock, log, guestAt: live.guestAt });
  const onError = (error: unknown) => problemOf(error, log);
  const http = listening(address, port, () =>
    startHttpServer({
      host: address,
      port,
      handle(request, peer, unhurried) {
        crowd.watch();
        return handle(request, peer, unhurried);
      },
      files,
      sockets,
      onError,
    }),
  );
  const socket = host.commands?.address() ?? socketPath(host);
  const forCommands = { service, log, signIn, base: () => ownUrl(address, http.port), answerAgent: mcp.answer };
  const local = startLocal(host, log, socket, createLocalHandler(forCommands));
  const stopAdvertising = advertise({ host, settings, log, address, port: http.port });
  return {
    port: http.port,
    socket: local === null ? null : socket,
    settingsChanged: mcp.settingsChanged,
    async stop() {
      crowd.stop();
      live.close();
      await mcp.close();
      await Promise.all([stopAdvertising(), http.stop(graceMs), local?.stop()]);
    },
  };
}

/** The door for agents; what is behind it is loaded when the first one comes. */
function createAgents(host: Host, log: Log, settings: SettingsStore, service: Service) {
  const { now, monotonic, after } = host.clock;
  const parts = {
    service,
    settings: settings.current,
    kit: agentKit,
    askUser: createAskUser(host),
    audit: remembering(createAudit(host, log.warn), service),
    log,
    now,
    monotonic,
    after,
  };
  return createMcp({
    service,
    settings: settings.current,
    log,
    after,
    load: async (lasting) => (await import('./transports/mcp/agents.ts')).createAgents(parts, lasting),
  });
}

/** What agents did, and not what they read, is part of the machine's history. */
function remembering(audit: Audit, { actions, history }: Service): Audit {
  const acting = new Set(actions.flatMap(({ agent }) => agent?.tool.name ?? []));
  return (entry, kind) => {
    audit(entry, kind);
    if (acting.has(entry.tool))
      history.note('agent', `${entry.client} called ${entry.tool}: ${entry.decision}`.slice(0, 300));
  };
}

/** In the state directory; where the path of that is longer than such a socket's may be, in the runtime directory if it is ours. */
function socketPath({ paths, environment, storage }: Host): string {
  const usual = path.join(paths.state, `cli-${environment.pid}.sock`);
  const { runtime } = paths;
  if (Buffer.byteLength(usual) <= longestSocketPath || runtime === null) return usual;
  const isOurs = storage.signature(runtime) !== null && storage.exposure(runtime) === null;
  return isOurs ? path.join(runtime, `hostler-${environment.pid}.sock`) : usual;
}

/** Without it the service works; the commands do not. */
function startLocal(
  { storage, commands }: Host,
  log: Log,
  socket: string,
  handle: (request: Request) => Promise<Response>,
): LocalServer | null {
  try {
    // One of an earlier process with this number.
    storage.remove(socket);
    const serve = commands?.serve ?? startLocalServer;
    return serve({ socket, handle, onError: (error) => problemOf(error, log) });
  } catch (error) {
    log.warn(`The commands of this machine, such as "hostler open", cannot reach this service: ${messageOf(error)}`);
    return null;
  }
}
