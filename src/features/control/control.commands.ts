import type { CommandDefinition } from '../../core/command.ts';

const json = 'print JSON instead of a sentence';

export const controlCommands: readonly CommandDefinition[] = [
  {
    usage: 'control',
    description: 'pause control of this machine: actions are refused, reading continues',
    place: { group: 'control', rank: 10 },
  },
  {
    usage: 'control pause',
    description: 'refuse all actions until it is resumed, or for a while',
    options: [{ flags: '--for <span>', description: 'how long, such as 30m, 1h or 7d (default: until it is resumed)' }],
    json,
    action: { name: 'control.pause', fields: { for: { field: 'seconds', as: 'span' } } },
  },
  { usage: 'control resume', description: 'end the pause', json, action: { name: 'control.resume' } },
];
