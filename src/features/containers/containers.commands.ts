import type { CommandDefinition } from '../../core/command.ts';
import { listOptions } from '../../core/list-flags.ts';
import { containerVerbs, containerWords } from './containers.verbs.ts';

const list = {
  options: listOptions,
  json: 'print JSON instead of a table',
  run: async () => (await import('./containers.cli.ts')).listContainers,
} as const;
const engine = {
  flags: '--engine <id>',
  description: 'engine it belongs to, where two have a container of this name',
} as const;

export const containersCommands: readonly CommandDefinition[] = [
  {
    ...list,
    usage: 'containers',
    description: 'list the containers of Docker and Podman, and start or stop the allowed ones',
    place: { group: 'read', rank: 8 },
  },
  { ...list, usage: 'containers list', description: 'list the containers; also works without a running service' },
  ...containerVerbs.map((verb) => ({
    usage: `containers ${verb} <name>`,
    description: containerWords[verb].command,
    options: [engine],
    json: 'print JSON instead of a sentence',
    action: { name: `container.${verb}` },
  })),
  {
    usage: 'containers logs <name>',
    description: 'print the last lines that a container wrote',
    options: [{ flags: '--lines <number>', description: 'how many, at most 500 (default: 100)' }, engine],
    json: 'print JSON instead of lines',
    action: { name: 'container.logs', show: async () => (await import('./containers.cli.ts')).printContainerLogs },
  },
];
