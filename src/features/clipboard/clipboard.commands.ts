import type { CommandDefinition } from '../../core/command.ts';

export const clipboardCommands: readonly CommandDefinition[] = [
  {
    usage: 'clipboard',
    description: 'read and change the clipboard of the desktop, through the running service',
    place: { group: 'control', rank: 4 },
  },
  {
    usage: 'clipboard get',
    description: 'print the text on the clipboard, as it is unless it goes to a terminal',
    options: [{ flags: '--png', description: 'write the picture on it to standard output instead' }],
    json: 'print JSON, the picture in base64',
    run: async () => (await import('./clipboard.cli.ts')).printClipboard,
  },
  {
    usage: 'clipboard follow',
    description: 'print each text that is copied, until Ctrl-C; never one that a password manager has marked',
    json: 'print JSON, one line for each change, whatever was copied',
    run: async () => (await import('./clipboard.cli.ts')).followClipboardText,
  },
  {
    usage: 'clipboard set [text]',
    description:
      'set the text of the clipboard; without an argument it is read from standard input, which other users of the machine cannot see',
    options: [{ flags: '--png', description: 'set the picture from standard input instead' }],
    json: 'print JSON instead of a sentence',
    run: async () => (await import('./clipboard.cli.ts')).changeClipboard,
  },
];
