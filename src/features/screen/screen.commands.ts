import type { CommandDefinition } from '../../core/command.ts';

export const screenCommands: readonly CommandDefinition[] = [
  {
    usage: 'screenshot [file]',
    description: 'write a picture of the screen to a file, or to standard output, through the running service',
    place: { group: 'control', rank: 7 },
    options: [
      { flags: '--display <id>', description: 'this one, as listed by "data displays" (default: the primary one)' },
      { flags: '--window', description: 'the active window instead' },
      {
        flags: '--format <format>',
        description: 'of the picture (default: webp for a file that ends with .webp, else png)',
        choices: ['png', 'webp'],
      },
      { flags: '--max-width <pixels>', description: 'scale a wider picture down to this width' },
    ],
    json: 'print JSON; without a file with the picture in base64',
    run: async () => (await import('./screen.cli.ts')).takeScreenshot,
  },
];
