import { type Command, Option } from 'commander';
import { createContext } from './context.ts';

export function addDoCommand(program: Command): void {
  program
    .command('do [action] [input...]')
    .description(
      'do anything that can be done here, such as "media.control action=PAUSE"; without an action, list them',
    )
    .addOption(new Option('--json', 'print JSON instead of a sentence or a table'))
    .addHelpText(
      'after',
      '\nThe input is key=value pairs, one JSON object, or - to read one from standard input.\nIt is done with all permissions, by the running service, as its user.',
    )
    .action(async (action, input, options) =>
      (await import('./do/do.ts')).doAction(await createContext(), action, input, options),
    );
}
