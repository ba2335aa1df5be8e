import type { CommandDefinition } from '../core/command.ts';
import type { CliContext } from './context.ts';

export const settingsCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'settings',
    description: 'show and change settings',
    place: { group: 'run', rank: 6 },
    examples: [
      ['settings get server', 'one section'],
      ['settings set systemTray true', 'an icon beside the clock'],
      ['settings set server.tls auto', 'encrypted from the next start on'],
    ],
  },
  {
    usage: 'settings get [key]',
    description: 'print all settings, or one, such as security.allowedHosts',
    json: 'print JSON, texts in quotes as well',
    isDefault: true,
    run: async () => (await import('./settings.ts')).getSettings,
  },
  {
    usage: 'settings set <key> <value>',
    description:
      'change a setting; the value is JSON or plain text. A running service applies it at once, except server.*, which needs a restart',
    json: 'print JSON instead of a table',
    run: async () => (await import('./settings.ts')).setSettings,
  },
  {
    usage: 'settings administrator',
    description: 'write the settings of this machine for all users, as administrator; what is not given stays',
    isSentences: true,
    trustsNothing: true,
    options: [
      { flags: '--port <number>', description: 'port to listen on, instead of 9170' },
      { flags: '--settings <file>', description: 'JSON file with settings that users may change' },
      { flags: '--locks <file>', description: 'JSON file with settings that users cannot change' },
    ],
    run: async () => (await import('./settings.administrator.ts')).setAdministratorSettings,
  },
];
