import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';

const verbs = {
  start: 'start a service that is in services.allowlist in the settings',
  stop: 'stop a service',
  restart: 'stop a service and start it again',
  enable: 'let a service start with the machine',
  disable: 'keep a service from starting with the machine',
};

/** The services of the machine; Hostler's own is `service`. */
export function addServicesCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON instead of a table');
  const failed = () => new Option('--failed', 'only the failed ones');
  const services = program
    .command('services')
    .description('list the services of this machine, failed ones first, and start or stop the allowed ones')
    // Else it would take the --json of the commands below it for its own.
    .enablePositionalOptions()
    .addOption(failed())
    .addOption(json())
    .action(async (options) => (await import('./services.cli.ts')).listServices(await createContext(), options));
  services
    .command('list')
    .description('list them; also works without a running Hostler')
    .addOption(failed())
    .addOption(json())
    .action(async (options) => (await import('./services.cli.ts')).listServices(await createContext(), options));
  for (const [verb, description] of Object.entries(verbs))
    services
      .command(`${verb} <unit>`)
      .description(description)
      .addOption(new Option('--json', 'print JSON instead of a sentence'))
      .action(async (unit, options) =>
        (await import('./services.cli.ts')).orderService(await createContext(), verb, unit, options),
      );
  services
    .command('logs <unit>')
    .description('print the last lines that a service wrote to the system log')
    .option('--lines <number>', 'how many, at most 500 (default: 50)')
    .addOption(new Option('--json', 'print JSON instead of lines'))
    .action(async (unit, options) =>
      (await import('./services.cli.ts')).printServiceLogs(await createContext(), unit, options),
    );
}
