import fs from 'node:fs';
import path from 'node:path';
import { exposureOfPath } from '../../../core/files/allowed-command.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ownPage } from '../../own-page.ts';
import type { Installation, WhichInstallation } from '../installation.contract.ts';

/** Exists if systemd is the first process of the machine. */
const booted = '/run/systemd/system';

/** With systemd, or else with the desktop. */
export async function createLinuxInstallation(host: LinuxHost, which: WhichInstallation): Promise<Installation> {
  const command = startCommand(process, 'serve');
  const isOurs = async () => {
    for (const file of command.filter((word) => path.isAbsolute(word))) {
      const exposure = await exposureOfPath(host.contained, file);
      if (exposure !== null)
        throw new Error(
          `Other users can replace the program that would be started: ${exposure.problem}. Install it elsewhere, or run "${exposure.fix}"`,
        );
    }
  };
  const given = host.environment.variable('XDG_CONFIG_HOME');
  const configHome = given !== null && path.isAbsolute(given) ? given : path.join(host.environment.home, '.config');
  if (fs.existsSync(booted)) {
    const { createUnitInstallation } = await import('./systemd-installation.ts');
    return guarded(createUnitInstallation(host, { isSystem: isSystem(host, which), command, configHome }), isOurs);
  }
  if (which === 'system')
    throw new Error(`This system does not run systemd; ${ownPage('install')} has recipes for OpenRC and runit`);
  return guarded((await import('./autostart-entry.ts')).createAutostartEntry(host, configHome, command), isOurs);
}

/** `check` throws if the program must not be started at each login. */
export function guarded(installation: Installation, check: () => Promise<void>): Installation {
  return {
    ...installation,
    async install(options) {
      await check();
      return await installation.install(options);
    },
    async setAutostart(isWanted) {
      if (isWanted) await check();
      return await installation.setAutostart(isWanted);
    },
  };
}

/** The systemd of a user gives its processes a MANAGERPID; that of the machine does not. */
function isSystem({ environment }: LinuxHost, which: WhichInstallation): boolean {
  if (which !== 'own') return which === 'system';
  return environment.variable('INVOCATION_ID') !== null && environment.variable('MANAGERPID') === null;
}

/** The built file, or the runtime with our sources. */
function startCommand({ execPath, execArgv, argv: [, script = ''] }: NodeJS.Process, argument: string): string[] {
  return [execPath, ...(script.startsWith('/$bunfs/') ? [] : [...execArgv, script]), argument];
}
