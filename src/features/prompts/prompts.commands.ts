import type { CommandDefinition } from '../../core/command.ts';

export const promptsCommands: readonly CommandDefinition[] = [
  {
    usage: 'approve [id]',
    description:
      'show the permission prompt of an agent or a device that waits for an answer; with its id, allow or deny it',
    place: { group: 'access', rank: 8 },
    options: [
      { flags: '--deny', description: 'deny it' },
      { flags: '--less', description: 'allow only the part that the prompt names, such as only reading' },
    ],
    json: 'print JSON instead of sentences',
    examples: [
      ['approve', 'what is asked for, and the id'],
      ['approve 1f0c9a2b', 'allow exactly this'],
    ],
    run: async () => (await import('./prompts.cli.ts')).approve,
  },
];
