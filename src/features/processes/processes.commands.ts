import type { CommandDefinition } from '../../core/command.ts';

export const processesCommands: readonly CommandDefinition[] = [
  {
    usage: 'process <pid>',
    description: 'show everything about one process: unit, container, open files, I/O, command line',
    place: { group: 'read', rank: 4 },
    json: 'print JSON instead of a table',
    action: {
      name: 'processes.get',
      fields: { pid: { field: 'id', label: 'process ID' } },
      show: async () => (await import('./processes.cli.ts')).printProcess,
    },
  },
];
