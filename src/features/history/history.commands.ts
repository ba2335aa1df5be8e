import type { CommandDefinition } from '../../core/command.ts';

export const historyCommands: readonly CommandDefinition[] = [
  {
    usage: 'history [series...]',
    description:
      'show the recorded history: charts of cpu, memory, network and other series, the busiest processes, events',
    place: { group: 'read', rank: 5 },
    options: [
      { flags: '--last <span>', description: 'how long back, such as 15m, 1h or 7d (default: 1h)' },
      { flags: '--from <time>', description: 'where it begins: an ISO time, or HH:MM' },
      { flags: '--to <time>', description: 'where it ends (default: now)' },
      { flags: '--step <seconds>', description: 'time between two values (default: as fits)' },
    ],
    json: 'print JSON instead of a table',
    examples: [
      ['history', 'the last hour'],
      ['history cpu memory --last 7d', 'two series of a week'],
    ],
    action: { name: 'history.get', show: async () => (await import('./history.cli.ts')).printHistory },
  },
];
