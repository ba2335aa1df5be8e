import { type Command, Option } from 'commander';
import { createContext } from './context.ts';

export function addImportCommands(program: Command): void {
  program
    .command('import')
    .description('take over settings and token from System Bridge')
    .command('system-bridge')
    .description(
      'take over token, port, media directories, allowed commands and start at login from System Bridge; shows it first',
    )
    .option('--yes', 'do it without asking')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) =>
      (await import('./import/import-system-bridge.ts')).importSystemBridge(await createContext(), options),
    );
}
