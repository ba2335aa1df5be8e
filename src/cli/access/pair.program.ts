import { type Command, Option } from 'commander';
import { ownCommand } from '../../lib/own-command.ts';
import { createContext } from '../context.ts';

/** Access without a token being typed. */
export function addPairCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON instead of a table');
  program
    .command('pair [address]')
    .description('ask another machine for access; without an address, print a code that lets one device into this one')
    .option('--name <name>', 'what this machine is to be called there (default: its host name)')
    .option(
      '--scopes <scopes>',
      `permissions, separated by commas; see "${ownCommand('token scopes')}" (default: read)`,
    )
    .option('--code', 'enter a code that "hostler pair" printed there, instead of asking at its screen')
    .option('--print', 'print the token; one that is known is not asked for again')
    .addOption(json())
    .action(async (address, options) =>
      address === undefined
        ? (await import('./pair-code.ts')).printPairCode(await createContext(), options)
        : (await import('./pair.ts')).pairWith(await createContext(), address, options),
    );
  program
    .command('paired')
    .description('list the machines that have given this one access')
    .option('--forget <address>', 'remove what is known of one')
    .addOption(json())
    .action(async (options) => (await import('./pair.ts')).listMachines(await createContext(), options));
}
