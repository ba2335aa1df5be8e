import fs from 'node:fs';
import path from 'node:path';
import { readObject } from '../../../core/json/read-object.ts';
import type { Exposure } from '../../../host/storage.ts';
import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';
import type { Elsewhere } from '../../../host/windows/native-threads.ts';
import { toastActivator, toastAppId } from '../../../host/windows/notifications.ts';
import { type ProcessToken, rightsOf } from '../../../host/windows/process-rights.ts';
import { windowsExposure } from '../../../host/windows/windows-exposure.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { backgroundArguments } from '../../../lib/background-flag.ts';
import { capitalised } from '../../../lib/capitalised.ts';
import { directoriesAbove } from '../../../lib/directories-above.ts';
import { messageOf } from '../../../lib/errors.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { hasFields } from '../../../lib/values.ts';
import type { Installation, WhichInstallation } from '../installation.contract.ts';
import { commandFor, isOwnProgram, readAutostart, removeAutostart, writeAutostart } from './autostart-entry.ts';
import { allowCommand, firewallLines, firewallRuleName, rulesKeys, unruleCommand } from './firewall.ts';
import { type Netfw, netfwLibrary } from './netfw.ts';
import { createOwnTask } from './own-task.ts';
import { registerPresses, removePresses } from './press-scheme.ts';

/** FOLDERID_Programs: the Start menu of this user. */
const startMenu = 'A77F5D77-2E2B-44C3-A6A2-ABA601054A51';

export type InstallationHost = Pick<
  WindowsHost,
  'native' | 'nativeElsewhere' | 'environment' | 'storage' | 'paths' | 'launch'
>;

export function createInstallation(
  host: InstallationHost,
  _which?: WhichInstallation,
  program = process.execPath,
): Installation {
  const linkFile = async () => {
    const menu = (await host.native()).shell32.knownFolder(startMenu);
    if (menu === null) throw new Error('Windows reports no Start menu folder for this user');
    return path.win32.join(menu, 'Hostler.lnk');
  };
  const builtProgram = () => {
    if (!isOwnProgram(program))
      throw new Error('only the built program (hostler.exe) can be started by Windows, not its source');
    return program;
  };
  /** Another user who can replace the program would run theirs with the rights of this one. null: only this user and administrators can. */
  const replaceable = async (): Promise<string | null> => {
    const { advapi32, rights } = await host.native();
    const accounts = { ownSid: advapi32.ownSid, descriptor: rights.descriptor };
    const folder = path.win32.dirname(program);
    const exposure =
      windowsExposure(accounts, { place: folder, isDirectory: true, isAbove: false }) ??
      windowsExposure(accounts, { place: program, isDirectory: false, isAbove: false }) ??
      directoriesAbove(folder, path.win32)
        .map((place) => windowsExposure(accounts, { place, isDirectory: true, isAbove: true }))
        .find((each) => each !== null);
    return exposure ? replaceableLine(exposure) : null;
  };
  const firewall = host.nativeElsewhere(netfwLibrary);
  const task = createOwnTask(host, program);
  /** Where Windows refuses the task, an entry of the registry starts it, without restarts: why; null: there is the task. */
  const startAtLogin = async (): Promise<string | null> => {
    const [{ advapi32 }, own] = [await host.native(), builtProgram()];
    const token = advapi32.processToken(process.pid);
    if (token !== null && rightsOf(token) === 'system')
      throw new Error('Windows itself (SYSTEM) has no login: run this as the user who is to have Hostler');
    const problem = await replaceable();
    if (problem !== null) throw new Error(problem);
    try {
      // The started process asks for restarts: one that runs already is not known to the Task Scheduler.
      const isRestarted = (await task.read())?.isRestarted ?? false;
      await task.register({ program: own, isRestarted });
      if ((await task.read()) === null) throw new Error('it does not keep the task');
    } catch (error) {
      await task.remove().catch(() => {});
      writeAutostart(advapi32, commandFor(own));
      return messageOf(error);
    }
    removeAutostart(advapi32);
    return null;
  };
  const setAutostart = async (isWanted: boolean) => {
    if (isWanted) return void (await startAtLogin());
    await task.remove();
    removeAutostart((await host.native()).advapi32);
  };
  return {
    async state() {
      const { advapi32 } = await host.native();
      const scheduled = await task.read().catch(() => null);
      const { command, isSwitchedOff } =
        scheduled === null
          ? readAutostart(advapi32)
          : { command: commandFor(scheduled.program), isSwitchedOff: !scheduled.isEnabled };
      const link = await linkFile();
      const running = readRunning(host);
      const problem = command === null ? null : await replaceable();
      return {
        startsAtLogin: command !== null && !isSwitchedOff,
        isSwitchedOff,
        lines: [
          autostartLine(command, isSwitchedOff),
          ...(command === null || isSwitchedOff ? [] : restartLines(scheduled)),
          ...(problem === null ? [] : [problem]),
          linkLine(link, fs.existsSync(link)),
          ...rightsLines(running && advapi32.processToken(running.pid)),
        ],
      };
    },
    async reach() {
      const { advapi32, kernel32 } = await host.native();
      const running = readRunning(host);
      const serving = running === null ? null : kernel32.processImage(running.pid);
      return firewallLines({
        rules: firewallRules(advapi32),
        profiles: await firewall.profiles().catch(() => null),
        program: serving ?? program,
        port: running?.port ?? null,
        variable: host.environment.variable,
      });
    },
    setAutostart,
    async launch() {
      const own = builtProgram();
      // As Windows starts it at login: with the environment of the user.
      const env = Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
      );
      const options = { env, cwd: path.win32.dirname(own), momentMs: 0 };
      try {
        // The Task Scheduler restarts what it has started, and starts it with the rights of the user's other programs.
        return await task.run();
      } catch {
        // There is no task, or no Task Scheduler.
      }
      const windows = host.environment.variable('SystemRoot');
      const token = (await host.native()).advapi32.processToken(process.pid);
      // Elevated programs get neither toasts nor media sessions. What Explorer opens has the rights of the user's other programs.
      if (token !== null && rightsOf(token) === 'administrator' && windows !== null)
        await host.launch.start(path.win32.join(windows, 'explorer.exe'), [own], options);
      else await host.launch.start(own, [...backgroundArguments], options);
    },
    async install() {
      const { writeShellLink } = await import('./shell-link.ts');
      // First: it refuses a program that other users can replace.
      const problem = await startAtLogin();
      const [file, own] = [await linkFile(), builtProgram()];
      const directory = path.win32.dirname(own);
      const ids = { appId: toastAppId, activator: toastActivator };
      writeShellLink({ file, program: own, arguments: '', directory, description: 'Hostler', ...ids });
      registerPresses((await host.native()).advapi32, own);
      return [
        `Hostler is started when you log in: ${commandFor(own)}`,
        problem === null
          ? 'Windows starts it again within a minute after a crash'
          : `Windows does not start it again after a crash, because the Task Scheduler refused: ${problem}`,
        `Hostler is in the Start menu: ${file}`,
        await allowOthers(firewall, own),
      ];
    },
    async remove() {
      await setAutostart(false);
      const file = await linkFile();
      fs.rmSync(file, { force: true });
      removePresses((await host.native()).advapi32);
      return [
        'Hostler is no longer started when you log in',
        `Hostler is no longer in the Start menu: ${file}`,
        ...(await forgetRule(firewall, firewallRules((await host.native()).advapi32))),
      ];
    },
    async keptLog(count) {
      const log = path.join(host.paths.state, 'hostler.log');
      // The current log file may have been started a moment ago.
      const lines = [`${log}.1`, log].map((file) => host.storage.read(file) ?? '').join('');
      return lines.split('\n').filter(Boolean).slice(-count);
    },
  };
}

type Firewall = Elsewhere<Netfw>;

const firewallRules = ({ texts }: Pick<Advapi32, 'texts'>) => rulesKeys.flatMap((key) => texts('HKLM', key));

/** Windows lets only administrators change the rules, and most users are not elevated. */
async function allowOthers(firewall: Firewall, program: string): Promise<string> {
  const description = 'Lets other devices on private networks reach Hostler';
  const byHand = `Other devices can reach Hostler on your network after an administrator has run: ${allowCommand(program)}`;
  try {
    // Otherwise a second rule of the same name would be added.
    await firewall.remove(firewallRuleName);
    const isDone = await firewall.allow({ name: firewallRuleName, description, program });
    return isDone ? 'The firewall of Windows now lets other devices reach Hostler on private networks' : byHand;
  } catch (error) {
    return `${byHand} (the rule could not be added directly: ${messageOf(error)})`;
  }
}

/** Removes the rule that the installation or the user added; reports nothing where there is none. */
async function forgetRule(firewall: Firewall, rules: readonly string[]): Promise<string[]> {
  const isThere = rules.some((rule) => rule.split('|').includes(`Name=${firewallRuleName}`));
  if (!isThere) return [];
  const byHand = `The rule of Hostler in the firewall of Windows stays until an administrator runs: ${unruleCommand}`;
  try {
    return [
      (await firewall.remove(firewallRuleName)) ? 'The rule of Hostler in the firewall of Windows was removed' : byHand,
    ];
  } catch (error) {
    return [`${byHand} (the rule could not be removed directly: ${messageOf(error)})`];
  }
}

/** The service that runs on this state directory, according to its own file; null: none. */
function readRunning(host: InstallationHost): { pid: number; port: number | null } | null {
  const value = readObject(host, path.join(host.paths.state, 'service.json'));
  if (!hasFields(value, { pid: 'number' }) || !host.environment.isRunning(value.pid)) return null;
  return { pid: value.pid, port: typeof value.port === 'number' ? value.port : null };
}

function autostartLine(command: string | null, isSwitchedOff: boolean): string {
  if (command === null) return 'Hostler is not started when you log in';
  if (isSwitchedOff)
    return 'Hostler is not started when you log in: it is switched off in the Task Manager or Task Scheduler';
  return `Hostler is started when you log in: ${command}`;
}

/** The status of a task that runs, or has not run yet. */
const [taskRuns, taskHasNotRun] = [0x41301, 0x41303];

function restartLines(task: { isRestarted: boolean; lastResult: number } | null): string[] {
  if (task === null) return [`Windows does not start it again after a crash; run "${ownCommand('service install')}"`];
  const { isRestarted, lastResult } = task;
  return [
    isRestarted
      ? 'Windows starts it again within a minute after a crash'
      : `Windows does not start it again before the next login, because it was stopped; "${ownCommand('service restart')}" starts it`,
    ...([0, taskRuns, taskHasNotRun].includes(lastResult) ? [] : [`It ended last with code ${lastResult}`]),
  ];
}

const replaceableLine = ({ problem, fix }: Exposure) =>
  `${capitalised(problem)}, so they could replace the program that Windows starts for you: move it into a folder of your own, such as %LOCALAPPDATA%\\Programs\\Hostler, or run ${fix}`;

function rightsLines(token: ProcessToken | null): string[] {
  const why = {
    administrator: 'as administrator, so Windows gives it neither notifications with buttons nor players',
    system: 'as a service of Windows, which has neither the desktop nor the files of a user',
    low: 'with low integrity, as in the sandbox of a browser, so Windows refuses it most files and windows',
    usual: null,
  }[token === null ? 'usual' : rightsOf(token)];
  return why === null ? [] : [`Hostler runs ${why}; run "${ownCommand('service restart')}"`];
}

const linkLine = (file: string, isThere: boolean) =>
  isThere
    ? `Hostler is in the Start menu: ${file}`
    : 'Hostler is not in the Start menu, so Windows does not show its notifications';
