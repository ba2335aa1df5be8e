import { budgets } from '../access/limits/budgets.ts';
import { createLockout } from '../access/limits/lockout.ts';
import { createFileTickets } from '../access/tokens/file-tickets.ts';
import { createTokenUses } from '../access/tokens/token-uses.ts';
import { isLocal } from '../core/caller.ts';
import { createService, type Service } from '../core/service.ts';
import { actions, modules, scopes, settingsCatalogue } from '../features/index.ts';
import type { Host } from '../host/host.ts';
import type { Log, LogFormat } from '../lib/log.ts';
import { openSettings, type SettingsStore } from '../settings/settings.ts';
import { ownUrl } from '../transports/http/own-url.ts';
import { followAutostart } from './autostart.ts';
import { crashesLately } from './crash/crash-reports.ts';
import { orExplain, prepareDirectories } from './directories.ts';
import { warnOfFullDisk } from './disk-full-warning.ts';
import { appPlatform } from './platform.ts';
import { openAccess, type ServiceAccess } from './service.access.ts';
import { type ServiceData, startData } from './service.data.ts';
import { effectiveOptions, type ServeOptions } from './service.options.ts';
import { startTransports } from './transports.ts';
import { createTrayState } from './tray/tray.state.ts';
import { followTray } from './tray/tray.ts';
import { version } from './version.ts';

/** The response to the caller that requested shutdown is sent first. */
const exitAfterMs = 100;

export interface RunningService {
  host: string;
  logFormat: LogFormat;
  /** Without TLS; null: not served. */
  port: number | null;
  /** Only this machine reaches that port. */
  isLocalOnly: boolean;
  /** With TLS; null: not open. */
  securePort: number | null;
  tokenFile: string;
  /** The local socket for commands of this user; null: it could not be opened. */
  socket: string | null;
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** Composes the service: settings → access, data → service → transports → tray. */
export async function startService(machine: Host, log: Log, options: ServeOptions): Promise<RunningService> {
  const host: Host = { ...machine, storage: warnOfFullDisk(machine.storage, log) };
  host.launch.onRefused(log.warn);
  prepareDirectories(host);
  const settings = await orExplain('The settings', () =>
    openSettings(settingsCatalogue, host, log, { setAside: true }),
  );
  const effective = effectiveOptions(options, settings, log);
  effective.applyToLog();
  const access = await openAccess(host, log, settings);
  const data = startData(host, log, settings, access.prompts);
  const service = composeService({ host, log, settings, access, data, exit: options.exit });
  const listenOn = effective.listenOn();
  const { signIn, prompts, pairing, oauth } = access;
  const { timers } = data;
  const { logTail } = options;
  const transports = await startTransports({
    host,
    log,
    timers,
    settings,
    service,
    signIn,
    askUser: prompts.ask,
    pairing,
    oauth,
    logTail,
    listenOn,
  });
  const { port, securePort, socket } = transports;
  settings.follow();
  const address = port === null ? ownUrl(listenOn.address, securePort ?? 0, true) : ownUrl(listenOn.address, port);
  const icon = await startDesktop({ host, log, settings, service, access, options, address });
  settings.onChange(() => {
    effective.applyToLog();
    void data.store.refresh();
  });
  return {
    host: listenOn.address,
    logFormat: effective.logFormat(),
    port,
    isLocalOnly: settings.current().server.plain === 'local',
    securePort,
    tokenFile: access.tokens.firstFile,
    socket,
    reload: settings.reload,
    async stop() {
      // Clients and the broker first: a desktop may take longer than the process has.
      const closing = transports.stop();
      await icon?.stop();
      data.stopWatching();
      settings.close();
      access.close();
      await closing;
      await service.close();
      await data.stop();
      await host.close();
    },
  };
}

interface ServiceParts {
  host: Host;
  log: Log;
  settings: SettingsStore;
  access: ServiceAccess;
  data: ServiceData;
  exit(): void;
}

function composeService({ host, log, settings, access, data, exit }: ServiceParts): Service {
  const { tokens, browsers, signIn, prompts } = access;
  const { store, subscribers, history, alerts } = data;
  return createService({
    version,
    scopes: scopes.all,
    modules,
    store,
    actions,
    tokens,
    browsers,
    tickets: createFileTickets(host.clock),
    lockout: createLockout(host.clock),
    login: signIn,
    uses: createTokenUses(host),
    settings: settings.current,
    settingsLocks: settings.locks,
    shownSettings: async (caller) =>
      await settings.shown(caller.scopes.has('admin') ? { local: await isLocal(caller) } : null),
    changeSettings: async (patch, caller) => await settings.update(patch, { local: await isLocal(caller) }),
    subscribers,
    budgets,
    history,
    alerts,
    prompts,
    exit: () => void host.clock.after(exitAfterMs, exit),
    host,
    log,
  });
}

interface DesktopParts extends Omit<ServiceParts, 'data' | 'exit'> {
  service: Service;
  options: Pick<ServeOptions, 'tray' | 'exit'>;
  address: string;
}

/** Start at login and the tray icon, as the settings say. */
async function startDesktop({ host, log, settings, service, access, options, address }: DesktopParts) {
  const { tray, supervisor, restarts } = await appPlatform(host);
  const isKnownOn = restarts?.isStartedBySystem === true;
  void followAutostart({ host, log, settings, isSupervised: supervisor !== undefined, isKnownOn });
  if (options.tray === undefined) return null;
  const crashes = () => crashesLately(host)?.sentence ?? null;
  return followTray({
    tray,
    log,
    settings,
    orders: { ...options.tray, quit: options.exit },
    address,
    state: () => createTrayState({ service, prompts: access.prompts, clock: host.clock, address, crashes }),
  });
}
