import { budgets } from '../access/limits/budgets.ts';
import { createLockout } from '../access/limits/lockout.ts';
import { createPairGrants } from '../access/pairing/grants.ts';
import { createLoginCodes } from '../access/sessions/login-codes.ts';
import { openBrowserSessions } from '../access/sessions/sessions.ts';
import { createSignIn } from '../access/sessions/sign-in.ts';
import { createFileTickets } from '../access/tokens/file-tickets.ts';
import { createTokenUses } from '../access/tokens/token-uses.ts';
import { openTokens } from '../access/tokens/tokens.ts';
import { startAlerts } from '../alerts/alerts.ts';
import { createAlertBoard } from '../core/alert-state.ts';
import { isLocal } from '../core/caller.ts';
import { createOpenQuestions } from '../core/prompts/open-prompt.ts';
import { oneQuestionAtATime } from '../core/prompts/prompt-queue.ts';
import { createService } from '../core/service.ts';
import { createStore } from '../core/store.ts';
import { createAudience } from '../core/subscribers.ts';
import { actions, modules, scopes, settingsCatalogue } from '../features/index.ts';
import { startHistory } from '../history/history.ts';
import type { Host } from '../host/host.ts';
import { lazily } from '../lib/lazily.ts';
import type { Log, LogFormat, LogLevel } from '../lib/log.ts';
import type { LogTail } from '../lib/log-tail.ts';
import { createSharedTimers } from '../lib/shared-timers.ts';
import { isLocked, lockedBy } from '../settings/locks.ts';
import { openSettings } from '../settings/settings.ts';
import { ownUrl } from '../transports/http/own-url.ts';
import { followAutostart } from './autostart.ts';
import { ownMemory } from './collect-heap.ts';
import { crashesLately } from './crash/crash-reports.ts';
import { orExplain, prepareDirectories } from './directories.ts';
import { tellOfFullDisk } from './disk-full-warning.ts';
import { createTidying } from './heap-compaction.ts';
import { appPlatform } from './platform.ts';
import { createAskUser } from './prompts/permission-prompt.ts';
import { createShowOnScreen } from './prompts/show-notice.ts';
import { watchWake } from './resume-detector.ts';
import { isolateInThread } from './threads/isolate.ts';
import { startTransports } from './transports.ts';
import { createTrayState } from './tray/tray.state.ts';
import { followTray, type TrayOrders } from './tray/tray.ts';
import { version } from './version.ts';

/** What the environment and the command line say; they win over the settings file. */
export interface ServeOptions {
  host: string | null;
  port: number | null;
  logLevel: LogLevel | null;
  logFormat: LogFormat | null;
  /** Where the last lines of the log are kept for "hostler logs". */
  logTail?: LogTail;
  /** Somebody who may has asked the service to end. */
  exit(): void;
  /** What the icon beside the clock does; left out: there is none. */
  tray?: Omit<TrayOrders, 'quit'>;
}

/** Lets the answer to whoever asked for the end go out first. */
const exitAfterMs = 100;

export interface RunningService {
  host: string;
  logFormat: LogFormat;
  /** Without TLS; null: it is not reached without. */
  port: number | null;
  /** Only this machine reaches that port. */
  isLocalOnly: boolean;
  /** With TLS; null: it is not open. */
  securePort: number | null;
  tokenFile: string;
  /** Where the commands of this user find it; null: it could not be opened. */
  socket: string | null;
  /** Reads the settings again. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** Puts the parts together: settings → host → store → service → transports. */
export async function startService(machine: Host, log: Log, options: ServeOptions): Promise<RunningService> {
  const host: Host = { ...machine, storage: tellOfFullDisk(machine.storage, log) };
  prepareDirectories(host);
  const settings = await orExplain('The settings', () =>
    openSettings(settingsCatalogue, host, log, { setAside: true }),
  );
  /** The command line and the environment win over the settings, but not over what the administrator locked. */
  const chosen = <T>(key: string, own: T | null, configured: T): T =>
    own === null || isLocked(settings.locks(), key) ? configured : own;
  const level = () => chosen('logLevel', options.logLevel, settings.current().logLevel);
  log.setLevel(level());
  const format = () => chosen('logFormat', options.logFormat, settings.current().logFormat);
  log.setFormat(format());
  const tokens = openTokens(scopes, host, log.warn);
  await orExplain('The token', async () => tokens.first());
  const browsers = openBrowserSessions(scopes, host, tokens, log.warn);
  await orExplain('The list of browsers', async () => browsers.clear());
  const board = createAlertBoard();
  const context = { version, settings: settings.current, locks: settings.locks, log, alerts: board };
  const timers = createSharedTimers(host.clock);
  const isolate = isolateInThread(context, host.clock);
  const wasRead = createTidying(host.clock, ownMemory);
  const store = createStore({ modules, host, context, timers, isolate, wasRead });
  const audience = createAudience(store, host.clock);
  const { unaware: count, onChange } = audience;
  const stopWatching = watchWake(host, timers, { count, onChange }, () => void store.refresh());
  const signIn = createSignIn(host, createLoginCodes(host), log.warn);
  const history = startHistory({ host, log, modules, store, timers, settings });
  const alerts = startAlerts({
    host,
    log,
    modules,
    store,
    timers,
    settings,
    history,
    board,
    showOnScreen: createShowOnScreen(host),
  });
  const questions = createOpenQuestions(createAskUser(host));
  const service = createService({
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
    audience,
    budgets,
    history,
    alerts,
    questions,
    exit: () => void host.clock.after(exitAfterMs, options.exit),
    host,
    log,
  });
  const { server: configured } = settings.current();
  const address = chosen('server.host', options.host, configured.host);
  const port = chosen('server.port', options.port, configured.port);
  for (const [key, own] of [['server.host', options.host] as const, ['server.port', options.port] as const]) {
    const locks = settings.locks();
    if (own !== null && locks !== null && isLocked(locks, key))
      log.warn(`${lockedBy(key, locks.file)}: ${own} is not used`);
  }
  const askUser = oneQuestionAtATime(questions.ask);
  const pairing = lazily(async () =>
    (await import('../access/pairing/pairing.ts')).createPairing({
      scopes,
      askUser,
      grant: createPairGrants(tokens, browsers),
      settings: settings.current,
      clock: host.clock,
      log,
    }),
  );
  const transports = await startTransports({
    host,
    log,
    timers,
    settings,
    service,
    signIn,
    askUser,
    pairing,
    logTail: options.logTail,
    // Whoever takes any free port takes two.
    listenOn: { address, port, securePort: port === 0 ? 0 : configured.tlsPort },
  });
  settings.follow();
  const { tray, supervisor } = await appPlatform(host);
  void followAutostart({ host, log, settings, isSupervised: supervisor !== undefined });
  const ownAddress =
    transports.port === null ? ownUrl(address, transports.securePort ?? 0, true) : ownUrl(address, transports.port);
  const icon =
    options.tray &&
    followTray({
      tray,
      log,
      settings,
      orders: { ...options.tray, quit: options.exit },
      address: ownAddress,
      state: () =>
        createTrayState({
          service,
          questions,
          clock: host.clock,
          address: ownAddress,
          crashes: () => crashesLately(host)?.sentence ?? null,
        }),
    });
  settings.onChange(() => {
    log.setLevel(level());
    log.setFormat(format());
    void store.refresh();
  });
  return {
    host: address,
    logFormat: format(),
    port: transports.port,
    isLocalOnly: configured.plain === 'local',
    securePort: transports.securePort,
    tokenFile: tokens.firstFile,
    socket: transports.socket,
    reload: settings.reload,
    async stop() {
      await icon?.stop();
      stopWatching();
      settings.close();
      signIn.close();
      pairing.made()?.close();
      await transports.stop();
      await service.close();
      alerts.stop();
      await history.stop();
      store.close();
      await host.close();
    },
  };
}
