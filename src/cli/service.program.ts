import { type Command, Option } from 'commander';
import { createContext, sayAsJson } from './context.ts';

export function addServiceCommands(program: Command): void {
  const service = program.command('service').description('start Hostler at login (Windows)');
  service
    .command('install')
    .description('start Hostler whenever you log in, and add it to the Start menu (Windows)')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) =>
      sayAsJson(await createContext(), options, (await import('./service.ts')).installService),
    );
  service
    .command('remove')
    .description('undo "service install" (Windows)')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => sayAsJson(await createContext(), options, (await import('./service.ts')).removeService));
  service
    .command('status')
    .description('say whether Hostler is started at login (Windows)')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => (await import('./service.ts')).serviceStatus(await createContext(), options));
}
