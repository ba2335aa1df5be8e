import fs from 'node:fs';
import path from 'node:path';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ownPage } from '../../own-page.ts';
import type { Installation, WhichInstallation } from '../installation.contract.ts';

/** Exists if systemd is the first process of the machine. */
const booted = '/run/systemd/system';

/** With systemd, or else with the desktop. */
export async function createLinuxInstallation(host: LinuxHost, which: WhichInstallation): Promise<Installation> {
  const command = startCommand(process, 'serve');
  const given = host.environment.variable('XDG_CONFIG_HOME');
  const configHome = given !== null && path.isAbsolute(given) ? given : path.join(host.environment.home, '.config');
  if (fs.existsSync(booted)) {
    const { createUnitInstallation } = await import('./systemd-installation.ts');
    return createUnitInstallation(host, { isSystem: isSystem(host, which), command, configHome });
  }
  if (which === 'system')
    throw new Error(`This system does not run systemd; ${ownPage('install')} has recipes for OpenRC and runit`);
  return (await import('./autostart-entry.ts')).createAutostartEntry(host, configHome, command);
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
