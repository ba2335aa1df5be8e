import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';
import { type ContainerVerb, containerVerbs } from './containers.verbs.ts';

const descriptions: Record<ContainerVerb, string> = {
  start: 'start a container that is in containers.allowlist in the settings',
  stop: 'stop a container',
  restart: 'stop a container and start it again',
  pause: 'pause a container: its processes stand still',
  resume: 'resume a paused container',
};

/** Containers of Docker and Podman: a list, one command for each order, and the output of one. */
export function addContainersCommands(program: Command): void {
  const containers = program
    .command('containers')
    .description('list the containers of Docker and Podman, and start or stop the allowed ones')
    .enablePositionalOptions()
    .addOption(new Option('--json', 'print JSON instead of a table'))
    .action(async (options) => (await import('./containers.cli.ts')).listContainers(await createContext(), options));
  containers
    .command('list')
    .description('list them; also works without a running service')
    .addOption(new Option('--json', 'print JSON instead of a table'))
    .action(async (options) => (await import('./containers.cli.ts')).listContainers(await createContext(), options));
  for (const verb of containerVerbs)
    containers
      .command(`${verb} <name>`)
      .description(descriptions[verb])
      .option('--engine <id>', 'engine it belongs to, where two have a container of this name')
      .addOption(new Option('--json', 'print JSON instead of a sentence'))
      .action(async (name, options) =>
        (await import('./containers.cli.ts')).orderContainer(await createContext(), verb, name, options),
      );
  containers
    .command('logs <name>')
    .description('print the last lines that a container wrote')
    .option('--lines <number>', 'how many, at most 500 (default: 100)')
    .option('--engine <id>', 'engine it belongs to, where two have a container of this name')
    .addOption(new Option('--json', 'print JSON instead of lines'))
    .action(async (name, options) =>
      (await import('./containers.cli.ts')).printContainerLogs(await createContext(), name, options),
    );
}
