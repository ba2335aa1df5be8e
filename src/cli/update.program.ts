import { type Command, Option } from 'commander';
import { createContext } from './context.ts';

export function addUpdateCommand(program: Command): void {
  program
    .command('update')
    .description(
      'install the latest release, after verifying its signature; what a package manager installed is left to it',
    )
    .option('--check', 'only say whether there is a newer one')
    .option('--from <address>', 'address of the release list (default: releases.url in the settings)')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => (await import('./update.ts')).update(await createContext(), options));
}
