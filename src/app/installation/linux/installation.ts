import fs from 'node:fs';
import path from 'node:path';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Installation, WhichInstallation } from '../installation.contract.ts';
import { startCommand } from './own-program.ts';

/** What systemd makes when it is the first process of the machine. */
const booted = '/run/systemd/system';

/** By systemd, or by the desktop where there is none. */
export async function createLinuxInstallation(host: LinuxHost, which: WhichInstallation): Promise<Installation> {
  const command = startCommand('serve');
  const given = host.environment.variable('XDG_CONFIG_HOME');
  const configHome = given !== null && path.isAbsolute(given) ? given : path.join(host.environment.home, '.config');
  if (fs.existsSync(booted)) {
    const { createUnitInstallation } = await import('./systemd-installation.ts');
    return createUnitInstallation(host, { isSystem: isSystem(host, which), command, configHome });
  }
  if (which === 'system') throw new Error('There is no systemd here. docs/install.md has recipes for OpenRC and runit');
  return (await import('./autostart-entry.ts')).createAutostartEntry(host, configHome, command);
}

/** The systemd of a user tells what it starts its own number; that of the machine has none to tell. */
function isSystem({ environment }: LinuxHost, which: WhichInstallation): boolean {
  if (which !== 'own') return which === 'system';
  return environment.variable('INVOCATION_ID') !== null && environment.variable('MANAGERPID') === null;
}
