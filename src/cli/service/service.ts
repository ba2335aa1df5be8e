import path from 'node:path';
import { findInstallation } from '../../app/installation/find-installation.ts';
import type {
  Installation,
  InstallationActivity,
  WhichInstallation,
} from '../../app/installation/installation.contract.ts';
import { ownPage } from '../../app/own-page.ts';
import type { Host } from '../../host/host.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { openOwnSettings, owner } from '../command-settings.ts';
import type { CliContext } from '../context.ts';
import { type LogFlags, printLogLines, printLogs } from '../logs.ts';
import { findService } from '../running-service.ts';
import { keepOptions, optionsForSystem } from './service.environment.ts';

export interface WhichFlags {
  /** The service of the machine instead of the user's. */
  system?: boolean;
}

export interface InstallFlags extends WhichFlags {
  /** Omitted: unchanged, and offered. */
  linger?: boolean;
}

export async function installService(context: CliContext, flags: InstallFlags): Promise<void> {
  const { host, print, command } = context;
  const installation = await installationOf(host, flags);
  const second = await secondInstance(host, installation, flags);
  for (const line of flags.system ? optionsForSystem(host) : await keepOptions(host, await openOwnSettings(host)))
    print(line);
  for (const line of await installation.install({ mayStart: second === null })) print(line);
  if (!flags.system) await remember(host, true);
  if (installation.launch !== undefined) {
    if (second === null) await launchAndWait(context, installation);
    else print(`Hostler is already running: ${second}`);
  } else if (second !== null)
    print(
      `Hostler was not started, because ${second}. End that process, then run "${command} service restart${suffix(flags)}"`,
    );
  if (flags.system)
    print(
      `Its settings, tokens and state are in /var/lib/hostler; "sudo -u hostler ${ownCommand('token')}" prints the token, and all other commands work the same way`,
    );
  await chooseLinger(context, installation, flags.linger);
}

/** Enough for a slow disk and a virus scanner, which checks a new program first. */
const startWithinMs = 30_000;
const endWithinMs = 10_000;

async function launchAndWait({ host, print }: CliContext, { launch, keptLog }: Installation): Promise<void> {
  await launch?.();
  const service = await waitFor(host, startWithinMs, async () => await findService(host).catch(() => null));
  if (service === null)
    throw new Error(
      `Hostler was started, but did not respond within ${startWithinMs / 1000} s; run "${ownCommand(keptLog === undefined ? 'serve' : 'service logs')}" to see why`,
    );
  print(`Hostler is running as process ${service.info.pid} on ${service.base}`);
}

/** Stops the running service where no system does that; false: none was running. */
async function endRunning(host: Host): Promise<boolean> {
  const service = await findService(host);
  if (service === null) return false;
  await service.perform('application.exit', {});
  const { pid } = service.info;
  const isGone = await waitFor(host, endWithinMs, () => (host.environment.isRunning(pid) ? null : true));
  if (isGone === null)
    throw new Error(`Hostler accepted the request to stop, but process ${pid} is still running. End it, and try again`);
  return true;
}

async function waitFor<T>(
  { clock }: Host,
  limitMs: number,
  probe: () => Promise<T | null> | T | null,
): Promise<T | null> {
  const until = clock.monotonic() + limitMs;
  for (;;) {
    const found = await probe();
    if (found !== null || clock.monotonic() > until) return found;
    await sleep(clock, 100);
  }
}

/** Lingering is explained before it is enabled. */
async function chooseLinger(
  { host, print, command }: CliContext,
  { linger }: Installation,
  wanted?: boolean,
): Promise<void> {
  if (linger === undefined) return;
  const isOn = await linger.isOn();
  if (wanted !== undefined && wanted !== isOn) {
    await linger.set(wanted);
    if (wanted) host.storage.write(lingerFile(host), `Switched on by "${ownCommand('service install --linger')}"\n`);
    else host.storage.remove(lingerFile(host));
  }
  if (wanted ?? isOn)
    print('Hostler also runs while you are not logged in: your systemd starts with the machine (lingering)');
  else
    print(
      `Hostler runs while you are logged in. "${command} service install --linger" also keeps it running before you log in and after you log out: your systemd then starts with the machine, together with all other services that it starts`,
    );
}

const lingerFile = ({ paths }: Host) => path.join(paths.state, 'lingering');

export interface RemoveFlags extends WhichFlags {
  /** Also settings, tokens and everything else. */
  purge?: boolean;
}

export async function removeService(
  { host, print }: CliContext,
  { system = false, purge = false }: RemoveFlags,
): Promise<void> {
  const installation = await installationOf(host, { system });
  if (installation.launch !== undefined && (await endRunning(host))) print('Hostler was stopped');
  for (const line of await installation.remove({ purge })) print(line);
  const { linger } = installation;
  if (linger !== undefined && host.storage.signature(lingerFile(host)) !== null) {
    if (await linger.isOn()) await linger.set(false);
    host.storage.remove(lingerFile(host));
    print(`Lingering, which "${ownCommand('service install --linger')}" had switched on, is off again`);
  }
  if (!purge) {
    if (!system) await remember(host, false);
    return print(
      `Settings, tokens and history stay; "${ownCommand(`service remove${suffix({ system })} --purge`)}" removes them as well`,
    );
  }
  const { removeForGood } = await import('./service.purge.ts');
  const running = system ? null : await findService(host).catch(() => null);
  if (running !== null)
    throw new Error(
      `Nothing else was removed: Hostler is still running as process ${running.info.pid}. End it, and try again`,
    );
  for (const line of removeForGood(host, installation.leftovers ?? [host.paths.config, host.paths.state])) print(line);
}

export async function restartService(context: CliContext, flags: WhichFlags): Promise<void> {
  const { host, print } = context;
  const installation = await installationOf(host, flags);
  if (installation.launch !== undefined) {
    await endRunning(host);
    return await launchAndWait(context, installation);
  }
  for (const line of (await installation.restart?.()) ?? []) print(line);
}

/** The log lines of the running service, or those that the system kept of an earlier one. */
export async function serviceLogs(context: CliContext, flags: LogFlags & WhichFlags): Promise<void> {
  if (!flags.system && (await findService(context.host)) !== null) return await printLogs(context, flags);
  const { keptLog } = await installationOf(context.host, flags);
  if (keptLog === undefined) return await printLogs(context, flags);
  const mostLines = 1000;
  printLogLines(context, await keptLog(mostLines), flags);
  if (flags.follow)
    context.complain('The service is not running, or belongs to another user; these are its stored log lines');
}

export async function serviceStatus({ host, print, isJson, answer }: CliContext, flags: WhichFlags): Promise<void> {
  const installation = await installationOf(host, flags);
  const { startsAtLogin, isSwitchedOff, lines } = await installation.state();
  const activity = (await installation.activity?.().catch(messageOf)) ?? null;
  const isLingering = (await installation.linger?.isOn()) ?? null;
  const second = await secondInstance(host, installation, flags);
  if (isJson) {
    const facts = {
      starts_at_login: startsAtLogin,
      switched_off: isSwitchedOff,
      ...(activity === null || typeof activity === 'string' ? {} : { activity }),
      ...(isLingering === null ? {} : { lingering: isLingering }),
      ...(installation.launch === undefined
        ? { second_instance: second }
        : { second_instance: null, running: second !== null }),
    };
    return await answer(facts);
  }
  for (const line of [...lines, ...((await installation.reach?.().catch((error) => [messageOf(error)])) ?? [])])
    print(line);
  // Platforms with at most one instance per user.
  if (installation.launch !== undefined)
    return print(second === null ? 'Hostler is not running' : `Hostler is running: ${second}`);
  if (activity !== null) print(typeof activity === 'string' ? activity : activityLine(activity));
  if (isLingering !== null)
    print(isLingering ? 'Hostler also runs while you are not logged in (lingering)' : 'Hostler ends when you log out');
  const isFirst = activity === null || typeof activity === 'string' || activity.state !== 'active';
  if (second !== null) print(isFirst ? `But ${second}` : `There is a second instance: ${second}`);
}

function activityLine({ state, pid, status, result, restarts }: InstallationActivity): string {
  const again =
    restarts > 0 ? `; restarted ${restarts === 1 ? 'once' : `${restarts} times`} after an unexpected end` : '';
  if (state === 'active') return `Hostler is running as process ${pid}: ${status}${again}`;
  return `Hostler is not running (${state === 'failed' ? `failed: ${result}` : state})${again}`;
}

/** Another service would conflict, since both use the same port: the end of a sentence about it. null: there is none. */
async function secondInstance(
  host: Host,
  installation: Installation,
  { system = false }: WhichFlags,
): Promise<string | null> {
  const own = await pidOf(installation);
  const running = system ? null : await findService(host).catch(() => null);
  if (running !== null && installation.launch !== undefined) return `process ${running.info.pid} on ${running.base}`;
  if (running !== null && running.info.pid !== own)
    return `another Hostler of yours is already running as process ${running.info.pid} on ${running.base}`;
  if (installation.activity === undefined || system) return null;
  const others = await pidOf(await installationOf(host, { system: true }));
  return others === null ? null : `the Hostler of the machine is already running as process ${others}`;
}

const pidOf = async ({ activity }: Installation) => (await activity?.().catch(() => null))?.pid ?? null;

const suffix = ({ system }: WhichFlags) => (system ? ' --system' : '');

async function installationOf(host: Host, { system = false }: WhichFlags): Promise<Installation> {
  const which: WhichInstallation = system ? 'system' : 'user';
  const installation = await findInstallation(host, which);
  if (installation === null)
    throw new Error(`Hostler cannot be started automatically here yet; ${ownPage('install')} explains how to start it`);
  return installation;
}

/** The setting is changed too, so that clients see it and a running service does not undo it. */
async function remember(host: Host, autostart: boolean): Promise<void> {
  const settings = await openOwnSettings(host);
  if (settings.current().autostart !== autostart) await settings.update({ autostart }, owner);
}
