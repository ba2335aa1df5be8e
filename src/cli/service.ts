import type { Host } from '../host/host.ts';
import type { Installation } from '../host/installation.ts';
import { findInstallation } from '../installation.ts';
import { createLog } from '../lib/log.ts';
import { openSettings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';

/** Being started at login, and known to the desktop. */
export async function installService({ host, print, command }: CliContext): Promise<void> {
  for (const line of await (await installationOf(host)).install()) print(line);
  await remember(host, true);
  print(`It is not started now: "${command} serve" does that, or the entry in the Start menu`);
}

export async function removeService({ host, print }: CliContext): Promise<void> {
  for (const line of await (await installationOf(host)).remove()) print(line);
  await remember(host, false);
  print('Settings and tokens stay; so does a service that runs now');
}

export async function serviceStatus({ host, print }: CliContext, { json = false }: { json?: boolean }): Promise<void> {
  const { startsAtLogin, isSwitchedOff, lines } = await (await installationOf(host)).state();
  if (json) return print(JSON.stringify({ starts_at_login: startsAtLogin, switched_off: isSwitchedOff }, null, 2));
  for (const line of lines) print(line);
}

async function installationOf(host: Host): Promise<Installation> {
  const installation = await findInstallation(host);
  if (installation === null)
    throw new Error(
      'This command is for Windows. Elsewhere the service manager of the system starts Hostler; see docs/run-as-a-service.md',
    );
  return installation;
}

/** The setting says the same, so that clients see it and a running service does not undo it. */
async function remember(host: Host, autostart: boolean): Promise<void> {
  const log = createLog((line) => process.stderr.write(line), 'WARN');
  const settings = await openSettings(host, log);
  if (settings.current().autostart !== autostart) await settings.update({ autostart }, { local: true, cli: true });
}
