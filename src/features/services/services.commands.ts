import type { CommandDefinition } from '../../core/command.ts';
import { listOptions } from '../../core/list-flags.ts';
import { serviceWords } from './services.contract.ts';

const list = {
  options: [{ flags: '--failed', description: 'only the failed ones' }, ...listOptions],
  json: 'print JSON instead of a table',
  run: async () => (await import('./services.cli.ts')).listServices,
} as const;
const complete = async () => (await import('./services.cli.ts')).completeUnitName;

/** The services of the machine; Hostler's own is `service`. */
export const servicesCommands: readonly CommandDefinition[] = [
  {
    ...list,
    usage: 'services',
    description: 'list the services of this machine, failed ones first, and start or stop the allowed ones',
    place: { group: 'read', rank: 7 },
  },
  { ...list, usage: 'services list', description: 'list the services; also works without a running Hostler' },
  ...Object.entries(serviceWords).map(([verb, { command }]) => ({
    usage: `services ${verb} <unit>`,
    description: command,
    json: 'print JSON instead of a sentence',
    action: { name: `service.${verb}`, complete },
  })),
  {
    usage: 'services logs <unit>',
    description: 'print the last lines that a service wrote to the system log',
    options: [{ flags: '--lines <number>', description: 'how many, at most 500 (default: 50)' }],
    json: 'print JSON instead of lines',
    action: {
      name: 'service.logs',
      complete,
      show: async () => (await import('./services.cli.ts')).printServiceLogs,
    },
  },
];
