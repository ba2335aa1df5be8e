import type { Host } from '../../host/host.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isLocked, lockedBy } from '../../settings/locks.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { owner } from '../command-settings.ts';
import { serveOptions } from '../serve.ts';

type Environment = Pick<Host, 'environment'>;

/** What the system starts gets none of the variables of this shell: those that are settings, too, are kept as settings. One sentence each. */
export async function keepOptions({ environment }: Environment, settings: SettingsStore): Promise<string[]> {
  const said = notKept({ environment }, 'set it in the unit, or where your desktop starts it');
  for (const { variable, key, value, patch } of optionsIn({ environment })) {
    const locks = settings.locks();
    if (locks !== null && isLocked(locks, key)) said.push(`${lockedBy(key, locks.file)}: ${variable} is not kept`);
    else {
      await settings.update(patch, owner);
      said.push(`${variable} is kept as the setting ${key} = ${value}`);
    }
  }
  return said;
}

/** The service of the machine has an account and settings of its own. */
export function optionsForSystem({ environment }: Environment): string[] {
  return [
    ...optionsIn({ environment }).map(
      ({ variable, key, value }) =>
        `${variable} is not kept; "sudo -u hostler ${ownCommand(`settings set ${key} ${value}`)}" sets it for the service of the machine`,
    ),
    ...notKept({ environment }, 'the service of the machine uses /var/lib/hostler'),
  ];
}

const directories = ['SERVICE_CONFIG_DIR', 'SERVICE_STATE_DIR'];

const notKept = ({ environment }: Environment, hint: string): string[] =>
  directories
    .filter((variable) => environment.variable(variable) !== null)
    .map((variable) => `${variable} is not kept; ${hint}`);

function optionsIn({ environment }: Environment) {
  const { host, port, logLevel, logFormat } = serveOptions(environment, {});
  const all = [
    { variable: 'SERVICE_PORT', key: 'server.port', value: port, patch: { server: { port } } },
    { variable: 'SERVICE_HOST', key: 'server.host', value: host, patch: { server: { host } } },
    { variable: 'SERVICE_LOG_LEVEL', key: 'logLevel', value: logLevel, patch: { logLevel } },
    { variable: 'SERVICE_LOG_FORMAT', key: 'logFormat', value: logFormat, patch: { logFormat } },
  ];
  return all.filter(({ value }) => value !== null);
}
