import type { ActionDefinition } from '../../core/action.ts';
import type { CommandDefinition } from '../../core/command.ts';
import { ownCommand } from '../../lib/own-command.ts';

const options = [
  {
    flags: '--delay <seconds>',
    description: `wait first, up to 3600 seconds; "${ownCommand('power cancel')}" cancels it`,
  },
  {
    flags: '--at <time>',
    description: 'instead: HH:MM by the clock of this machine, or an ISO time, within 24 hours',
  },
  { flags: '--force', description: 'even if a program is blocking it' },
] as const;

/** One command for each order, `power.lock` → `power lock`, and the list of past orders. */
export const powerCommandsOf = (
  orders: readonly Pick<ActionDefinition, 'name' | 'description'>[],
): readonly CommandDefinition[] => [
  {
    usage: 'power',
    description: 'sleep, lock, shut down and the like, through the running service',
    place: { group: 'control', rank: 2 },
  },
  ...orders.map(({ name, description }) => ({
    usage: name.replace('.', ' '),
    description: asCommand(description),
    options: name === 'power.cancel' ? [] : options,
    json: 'print JSON instead of a sentence',
    action: { name },
    ...(name === 'power.shutdown' && {
      examples: [['power shutdown --delay 600', 'in ten minutes; "power cancel" cancels it']] as const,
    }),
  })),
  {
    usage: 'power log',
    description: 'list past orders: when, with which token, from where, and the outcome',
    json: 'print JSON instead of a table',
    run: async () => (await import('./power.cli.ts')).printOrders,
  },
];

/** "Puts the machine to sleep" → "put the machine to sleep" */
const asCommand = (description: string) =>
  description.charAt(0).toLowerCase() + description.slice(1).replace('s ', ' ');
