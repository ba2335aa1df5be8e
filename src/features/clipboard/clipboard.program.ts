import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';

/** What is on the clipboard of the desktop, and putting something there. */
export function addClipboardCommands(program: Command): void {
  const clipboard = program
    .command('clipboard')
    .description('read and change the clipboard of the desktop, through the running service');
  clipboard
    .command('get')
    .description('print the text on the clipboard, as it is unless it goes to a terminal')
    .option('--png', 'write the picture on it to standard output instead')
    .addOption(new Option('--json', 'print JSON, the picture in base64'))
    .action(async (options) => (await import('./clipboard.cli.ts')).printClipboard(await createContext(), options));
  clipboard
    .command('follow')
    .description('print each text that is copied, until Ctrl-C; never one that a password manager has marked')
    .addOption(new Option('--json', 'print JSON, one line for each change, whatever was copied'))
    .action(async (options) =>
      (await import('./clipboard.cli.ts')).followClipboardText(await createContext(), options),
    );
  clipboard
    .command('set [text]')
    .description('put a text onto the clipboard; left out: standard input, which other users of the machine cannot see')
    .option('--png', 'put the picture from standard input there instead')
    .addOption(new Option('--json', 'print JSON instead of a sentence'))
    .action(async (text, options) =>
      (await import('./clipboard.cli.ts')).changeClipboard(await createContext(), text, options),
    );
}
