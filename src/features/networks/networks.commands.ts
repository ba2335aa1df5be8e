import type { CommandDefinition } from '../../core/command.ts';

export const networksCommands: readonly CommandDefinition[] = [
  {
    usage: 'wake <mac>',
    description: 'wake another machine on this network by its hardware address (wake-on-LAN)',
    place: { group: 'control', rank: 9 },
    options: [
      {
        flags: '--broadcast <address>',
        description: 'broadcast address of the network to call in (default: every network)',
      },
      { flags: '--port <number>', description: 'UDP port (default: 9)' },
    ],
    json: 'print JSON instead of a table',
    action: { name: 'network.wake' },
  },
];
