import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';

/** `hostler control pause`: nobody changes anything on this machine for a while. */
export function addControlCommands(program: Command): void {
  const control = program
    .command('control')
    .description('pause control of this machine: actions are refused, reading goes on');
  const json = () => new Option('--json', 'print JSON instead of a sentence');
  control
    .command('pause')
    .description('refuse all actions until it is resumed, or for a while')
    .option('--for <span>', 'how long, such as 30m, 1h or 7d (default: until it is resumed)')
    .addOption(json())
    .action(async (options) => (await import('./control.cli.ts')).pauseControl(await createContext(), options));
  control
    .command('resume')
    .description('end the pause')
    .addOption(json())
    .action(async (options) => (await import('./control.cli.ts')).resumeControl(await createContext(), options));
}
