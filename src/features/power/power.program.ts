import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { powerActions } from './power.ts';

/** One command for each action, `power.lock` → `hostler power lock`, and the list of past orders. */
export function addPowerCommands(program: Command): void {
  const power = program
    .command('power')
    .description('sleep, lock, shut down and the like, through the running service');
  for (const { name, description } of powerActions) {
    const command = power.command(name.slice('power.'.length)).description(inWords(description));
    if (name !== 'power.cancel') {
      command
        .option('--delay <seconds>', `wait first, up to 3600 seconds; "${ownCommand('power cancel')}" cancels it`)
        .option('--at <time>', 'instead: HH:MM by the clock of this machine, or an ISO time, within 24 hours')
        .option('--force', 'even if a program is blocking it');
    }
    command
      .addOption(new Option('--json', 'print JSON instead of a sentence'))
      .action(async (options) => (await import('./power.cli.ts')).sendOrder(await createContext(), name, options));
  }
  power
    .command('log')
    .description('list past orders: when, with which token, from where, and the outcome')
    .addOption(new Option('--json', 'print JSON instead of a table'))
    .action(async (options) => (await import('./power.cli.ts')).printOrders(await createContext(), options));
}

/** "Puts the machine to sleep" as the other commands describe themselves: "put the machine to sleep". */
const inWords = (description: string) => description.charAt(0).toLowerCase() + description.slice(1).replace('s ', ' ');
