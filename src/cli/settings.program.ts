import { type Command, Option } from 'commander';
import { createContext } from './context.ts';

/** `settings get` and `settings set`. */
export function addSettingsCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON instead of a table');

  const settings = program.command('settings').description('show and change settings');
  settings
    .command('get [key]', { isDefault: true })
    .description('print all settings, or one, such as security.allowedHosts')
    .addOption(new Option('--json', 'print JSON, texts in quotes as well'))
    .action(async (key, options) => (await import('./settings.ts')).getSettings(await createContext(), key, options));
  settings
    .command('set <key> <value>')
    .description(
      'change a setting; the value is JSON or plain text. A running service applies it at once, except server.*, which needs a restart',
    )
    .addOption(json())
    .action(async (key, value, options) =>
      (await import('./settings.ts')).setSettings(await createContext(), key, value, options),
    );
}
