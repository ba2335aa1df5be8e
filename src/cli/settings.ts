import { settingsCatalogue } from '../features/index.ts';
import { ownCommand } from '../lib/own-command.ts';
import { nearestSetting } from '../settings/unknown-keys.ts';
import { openOwnSettings, owner } from './command-settings.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';

export async function getSettings({ host, answer, complain }: CliContext, key?: string): Promise<void> {
  const settings = await openOwnSettings(host);
  const value = at(settings.current(), key?.split('.') ?? []);
  if (value === undefined) throw noSuchSetting(key);
  await answer(value, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  // On standard error, so that a program that reads the value gets nothing else.
  const { file, keys } = settings.locks() ?? { file: '', keys: [] };
  const shown = keys.filter((locked) => key === undefined || locked === key || locked.startsWith(`${key}.`));
  if (shown.length > 0) complain(`Locked by ${file}: ${shown.join(', ')}`);
}

export async function setSettings({ host, answer }: CliContext, key: string, text: string): Promise<void> {
  const settings = await openOwnSettings(host);
  const path = key.split('.');
  if (at(settings.current(), path.slice(0, 1)) === undefined) throw noSuchSetting(key);
  if (text === 'null') throw new UsageError('null is not a valid value; every setting has one');
  const patch = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), parseValue(text));
  const saved = await settings.update(patch, { ...owner, replacesModules: key === 'modules' });
  const value = at(saved, path);
  if (value === undefined) throw noSuchSetting(key);
  const when = path[0] === 'server' ? ' (from the next start on)' : '';
  await answer({ key, value }, `${key} = ${JSON.stringify(value)}${when}`);
}

function noSuchSetting(key = ''): UsageError {
  const meant = nearestSetting(key, settingsCatalogue.defaults);
  const guess = meant === null ? '' : `; did you mean ${meant}?`;
  return new UsageError(
    `There is no setting ${JSON.stringify(key)}${guess || ';'} "${ownCommand('settings get')}" lists them all`,
  );
}

function at(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([key]) => key === name)?.[1]
        : undefined,
    value,
  );
}

/** `true`, `5`, `["a"]` are JSON; anything else is plain text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
