import { reportCrash } from '../app/crash/crash-handler.ts';
import { crashesLately } from '../app/crash/crash-reports.ts';
import { openLogOutput } from '../app/log-output.ts';
import { appPlatform, type Restarts } from '../app/platform.ts';
import type { ServeOptions } from '../app/service.options.ts';
import { type RunningService, startService } from '../app/service.ts';
import { supervise } from '../app/supervision.ts';
import type { TrayOrders } from '../app/tray/tray.ts';
import { version } from '../app/version.ts';
import { answering } from '../core/command.ts';
import type { Environment } from '../host/environment.ts';
import type { Host } from '../host/host.ts';
import type { InterfaceAddress } from '../host/network.ts';
import { sleep } from '../lib/clock.ts';
import { codeOf, messageOf } from '../lib/errors.ts';
import { createLog, type Log, type LogFormat, type LogLevel, lineOf, logFormats, logLevels } from '../lib/log.ts';
import { createLogTail } from '../lib/log-tail.ts';
import { ownCommand } from '../lib/own-command.ts';
import { currentPlatform } from '../lib/platform.ts';
import { isEverywhere, ownUrl, reachableAddresses } from '../transports/http/own-url.ts';
import type { CliContext } from './context.ts';
import { Crash, UsageError } from './exit.ts';
import { findService, forgetRunning, rememberRunning } from './running-service.ts';

/** Another service runs for this user. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

export interface ServeFlags {
  host?: string;
  port?: string;
  logLevel?: string;
  logFormat?: string;
}

/** Whatever still hangs then ends with the process. */
const stopWithinMs = 900;
/** The last lines of the log are written before the end; without a reader this is the limit. */
const lastWordsWithinMs = 500;

/** Serves until it is stopped. Resolves after an orderly end. */
export async function serve({ host, print, command }: CliContext, flags: ServeFlags): Promise<void> {
  if (currentPlatform === null)
    throw new Error('Hostler does not support this operating system: it runs on Linux, Windows and macOS');
  const options = serveOptions(host.environment, flags);
  const output = openLogOutput();
  const logTail = createLogTail();
  const { logLine } = await appPlatform(host);
  const write = logTo(logLine === undefined ? output.write : (text) => output.write(logLine(text)), host);
  const both = (line: string, text: string) => {
    // "hostler logs" gets the lines in the text format.
    logTail.write(text);
    write(line);
  };
  const log = createLog(both, options.logLevel ?? 'INFO', undefined, options.logFormat);
  try {
    await serveUntilStopped({ host, print, command, log, options: { ...options, logTail } });
  } finally {
    // Lines from before the settings were read are still to be written.
    log.setFormat(options.logFormat ?? 'text');
    await Promise.race([output.written(), sleep(host.clock, lastWordsWithinMs)]);
  }
}

/** Usually our own service has the port, and that is no reason to choose another one. */
async function alreadyRunning(host: Host, error: unknown): Promise<AlreadyRunning | null> {
  if (!(error instanceof Error) || codeOf(error.cause) !== 'EADDRINUSE') return null;
  const service = await findService(host).catch(() => null);
  if (service === null) return null;
  return new AlreadyRunning(
    `Hostler is running already, as process ${service.info.pid} on ${service.base}; "${ownCommand('open')}" shows its dashboard, and "${ownCommand('service restart')}" restarts it`,
  );
}

interface Serving extends Pick<CliContext, 'host' | 'print' | 'command'> {
  log: Log;
  options: Omit<ServeOptions, 'exit' | 'tray'>;
}

async function serveUntilStopped({ host, print, command, log, options }: Serving): Promise<void> {
  const finished = Promise.withResolvers<'asked' | 'session-end' | 'crash'>();
  // A terminal signals the whole group, and npm forwards it as well: a second signal must not kill a stopping service.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => finished.resolve('asked'));
  let reload = () => {};
  // A closed terminal ends the service; without a terminal SIGHUP reloads the settings.
  process.on('SIGHUP', () => (host.hasTerminal?.() === false ? reload() : finished.resolve('asked')));
  // A bug must not leave a half-working service behind: the supervisor starts a fresh one.
  const { onlyOne, supervisor, restarts } = await appPlatform(host);
  const isSupervised = supervisor !== undefined;
  let hasReported = false;
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(kind, (error: unknown) => {
      const logLines = options.logTail?.lines() ?? [];
      log.error('The service is stopping because of an unexpected error', error);
      // Errors while it stops follow from the first.
      if (hasReported) return;
      hasReported = true;
      void reportCrash(host, log, { kind, error, logLines, isSupervised }).then(() => finished.resolve('crash'));
    });
  }
  const earlier = crashesLately(host);
  if (earlier !== null) log.warn(`${earlier.sentence}; the newest report is ${earlier.file}`);

  if ((await onlyOne?.()) === false)
    throw new AlreadyRunning(`Hostler is running already; "${ownCommand('open')}" shows its dashboard`);
  const exit = () => finished.resolve('asked');
  const running = await startService(host, log, { ...options, exit, tray: trayOrders({ host, command, log }) }).catch(
    async (error) => {
      throw (await alreadyRunning(host, error)) ?? error;
    },
  );
  if (!(await rememberRunning(host, running))) {
    log.warn(
      `Another Hostler is using this state directory; commands such as "${ownCommand('data')}" continue to use that one`,
    );
  }
  // Neither is awaited, so that they do not delay the start.
  restarts
    ?.resume()
    .catch((error) => log.warn(`Windows will not start Hostler again after a crash: ${messageOf(error)}`));
  host
    .sessionEnd?.(() => finished.resolve('session-end'))
    .catch((error: unknown) => {
      log.warn(
        `Hostler cannot detect the end of the session, which then ends it without a clean shutdown: ${messageOf(error)}`,
      );
    });
  const places = placesOf(running, host.network.addresses());
  try {
    announce(running, places, print, command);
  } catch {
    // Without a reader of standard output the service runs as well.
  }
  const supervised = await supervise(supervisor, host.clock, log, {
    status: places.join(', and with TLS on '),
    ...running,
  });
  reload = supervised.reload;
  const reason = await finished.promise;
  if (reason === 'asked' && restarts !== undefined) await suspendRestarts(restarts, log);
  supervised.stop();
  await Promise.race([running.stop(), sleep(host.clock, stopWithinMs)]);
  forgetRunning(host);
  if (reason === 'crash') throw new Crash('the service stopped because of an unexpected error; see the log above');
}

async function suspendRestarts({ suspend }: Restarts, log: Log): Promise<void> {
  try {
    await suspend();
  } catch (error) {
    log.warn(`Windows may start Hostler again within a minute: ${messageOf(error)}`);
  }
}

/** Like the commands: through the service. */
function trayOrders({ host, command, log }: Pick<Serving, 'host' | 'command' | 'log'>): Omit<TrayOrders, 'quit'> {
  const perform = async (action: string, input: Record<string, unknown>) => {
    const { requireService } = await import('./running-service.ts');
    await (await requireService({ host, command })).perform(action, input);
  };
  return {
    async openDashboard() {
      const { openDashboard } = await import('./open.ts');
      await openDashboard({ host, command, complain: log.debug, ...answering(log.debug, false) }, { intoLog: true });
    },
    pauseControl: (seconds) => perform('control.pause', { seconds }),
    resumeControl: () => perform('control.resume', {}),
    copyText: (text) => perform('clipboard.set', { text }),
  };
}

/** Lines are also written to the log of the machine. A full disk does not end the service. */
function logTo(write: (text: string) => void, { keepLog }: Pick<Host, 'keepLog'>): (text: string) => void {
  if (keepLog === undefined) return write;
  return (text) => {
    write(text);
    try {
      keepLog(text.trimEnd());
    } catch {
      // It was written to standard error.
    }
  };
}

function announce(
  running: RunningService,
  places: readonly string[],
  print: (line: string) => void,
  command: string,
): void {
  const { tokenFile, logFormat } = running;
  // In one write: a reader that waits for the first line has the last as well.
  const lines = [
    ...places.map((place, at) =>
      at === 0 ? `Hostler ${version} is listening on ${place}` : `and with TLS on ${place}`,
    ),
    `The token is in ${tokenFile}; "${command} token" prints it`,
  ];
  const time = new Date().toISOString();
  const asJson = (message: string) => lineOf({ time, level: 'INFO', message }, 'json').trimEnd();
  print((logFormat === 'json' ? lines.map(asJson) : lines).join('\n'));
}

function placesOf(
  { host, port, isLocalOnly, securePort }: RunningService,
  addresses: readonly InterfaceAddress[],
): string[] {
  const [elsewhere] = reachableAddresses(addresses);
  // An address that can be typed on a phone.
  const forOthers = (at: number, isSecure: boolean) => {
    if (!isEverywhere(host)) return '';
    const example = elsewhere === undefined ? '' : `, such as ${ownUrl(elsewhere, at, isSecure)}`;
    return ` and on all other addresses of this machine${example}`;
  };
  return [
    ...(port === null
      ? []
      : [
          `${ownUrl(isLocalOnly ? '' : host, port)}${isLocalOnly ? ', from this machine only' : forOthers(port, false)}`,
        ]),
    ...(securePort === null ? [] : [`${ownUrl(host, securePort, true)}${forOthers(securePort, true)}`]),
  ];
}

export function serveOptions(environment: Environment, flags: ServeFlags): Omit<ServeOptions, 'exit' | 'tray'> {
  const given = (flag: string | undefined, option: string, variable: string): Given =>
    flag === undefined ? [environment.variable(variable), variable] : [flag, option];
  const [host] = given(flags.host, '--host', 'SERVICE_HOST');
  return {
    // An address as in a URL, or "everywhere" in words.
    host: host === '*' ? '' : (host?.replace(/^\[(.*)\]$/, '$1') ?? null),
    // Port 0 is refused in the environment: a unit file with a random port would lose its clients at every restart.
    port: portFrom(given(flags.port, '--port', 'SERVICE_PORT'), flags.port === undefined ? 1 : 0),
    logLevel: oneOf<LogLevel>(logLevels, given(flags.logLevel, '--log-level', 'SERVICE_LOG_LEVEL')),
    logFormat: oneOf<LogFormat>(logFormats, given(flags.logFormat, '--log-format', 'SERVICE_LOG_FORMAT')),
  };
}

type Given = [text: string | null, name: string];

function portFrom([text, name]: Given, least: number): number | null {
  if (text === null) return null;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= least && port <= 65_535) return port;
  throw new UsageError(`${name} must be a number from ${least} to 65535, but it is ${JSON.stringify(text)}`);
}

function oneOf<T extends string>(choices: readonly T[], [text, name]: Given): T | null {
  if (text === null) return null;
  const chosen = choices.find((known) => known.toLowerCase() === text.toLowerCase());
  if (chosen !== undefined) return chosen;
  throw new UsageError(`${name} must be one of ${choices.join(', ')}, but it is ${JSON.stringify(text)}`);
}
