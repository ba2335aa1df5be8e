import type { CommandDefinition } from '../../core/command.ts';

const json = 'print JSON instead of a sentence';

/** Beside the orders of `hostler power`. */
export const sessionCommands: readonly CommandDefinition[] = [
  {
    usage: 'power inhibit <reason>',
    description: 'keep the machine awake for an hour, or for the time of --for',
    options: [{ flags: '--for <time>', description: 'for how long, such as 30m or 2h, up to a day' }],
    json,
    action: { name: 'power.inhibit', fields: { for: { field: 'seconds', label: 'time', as: 'span' } } },
    examples: [['power inhibit "A backup is running" --for 2h', 'the status and the dashboard show it until then']],
  },
  {
    usage: 'power uninhibit [id]',
    description: 'end a request that keeps the machine awake, or all of them',
    json,
    action: { name: 'power.uninhibit' },
  },
  {
    usage: 'power profile <profile>',
    description: 'set the power profile: power-saver, balanced or performance',
    json,
    action: { name: 'power.profile' },
  },
];
