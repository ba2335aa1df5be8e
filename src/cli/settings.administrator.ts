import path from 'node:path';
import { exposureOfPath } from '../core/files/allowed-command.ts';
import { settingsCatalogue } from '../features/index.ts';
import { machineSettingsFile } from '../settings/administrator-layer.ts';
import { readMachineSettings } from '../settings/administrator-settings.ts';
import { mergeSettings } from '../settings/change.ts';
import { parseSettingsText } from '../settings/file.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';

/** Installers pass an empty text for what was not chosen. */
export interface AdministratorFlags {
  port?: string;
  settings?: string;
  locks?: string;
}

/** Writes the settings of the machine for all users. What is not given stays. */
export async function setAdministratorSettings(
  { host, print }: Pick<CliContext, 'host' | 'print'>,
  { port = '', settings = '', locks = '' }: AdministratorFlags,
): Promise<void> {
  const { machine } = host.storage;
  if (machine === undefined) throw new Error('This system has no place for settings of all users');
  if (port === '' && settings === '' && locks === '')
    throw new UsageError('Give --port, --settings or --locks; an empty value stands for none');
  if (!/^\d*$/.test(port)) throw new UsageError('--port must be a number');
  const objectOf = (name: string, content: string | null): Record<string, unknown> => {
    if (content === null) throw new Error(`There is no file ${name}`);
    const parsed = parseSettingsText(content, name);
    if ('value' in parsed) return parsed.value;
    throw new Error('newer' in parsed ? parsed.newer : `${name} is broken: ${parsed.broken}`);
  };
  const objectIn = async (name: string) => {
    const exposure = await exposureOfPath(host.contained, path.resolve(name));
    if (exposure === null) return objectOf(name, host.storage.read(name));
    throw new Error(
      `Other users could have written ${name}: ${exposure.problem}. Check its content, then run "${exposure.fix}"`,
    );
  };
  const file = `${machine.directory}/${machineSettingsFile}`;
  const known = machine.read(machineSettingsFile);
  if (known !== null && 'refusal' in known) throw new Error(known.refusal);
  const { locked: lockedBefore, ...rest } = known === null ? {} : objectOf(file, known.text);
  const { locked: lockedGiven = lockedBefore, ...given } = settings === '' ? rest : await objectIn(settings);
  const locked = locks === '' ? lockedGiven : await objectIn(locks);
  const merged = mergeSettings(given, port === '' ? {} : { server: { port: Number(port) } });
  const text = `${JSON.stringify(locked === undefined ? merged : mergeSettings(merged, { locked }), null, 2)}\n`;
  const form = { schema: await settingsCatalogue.schema(), defaults: settingsCatalogue.defaults };
  const { unusable, complaints } = readMachineSettings(form, text, file);
  const [problem] = unusable === null ? complaints : [unusable];
  if (problem !== undefined) throw new Error(`Nothing was written: ${problem}`);
  await machine.write(machineSettingsFile, text);
  // A directory that an ordinary user prepared is refused by the services, too.
  const written = machine.read(machineSettingsFile);
  if (written !== null && 'refusal' in written) throw new Error(written.refusal);
  print(`${file} applies to all users`);
}
