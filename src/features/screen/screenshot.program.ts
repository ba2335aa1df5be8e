import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';

/** `hostler screenshot screen.png`: a picture of what is on the screen. */
export function addScreenshotCommand(program: Command): void {
  program
    .command('screenshot [file]')
    .description('write a picture of the screen to a file, or to standard output, through the running service')
    .option('--display <id>', 'this one, as listed by "data displays" (default: the primary one)')
    .option('--window', 'the window in front instead')
    .addOption(
      new Option(
        '--format <format>',
        'of the picture (default: webp for a file that ends with .webp, else png)',
      ).choices(['png', 'webp']),
    )
    .option('--max-width <pixels>', 'scale a wider picture down to this width')
    .addOption(new Option('--json', 'print JSON; without a file with the picture in base64'))
    .action(async (file, options) =>
      (await import('./screen.cli.ts')).takeScreenshot(await createContext(), file, options),
    );
}
