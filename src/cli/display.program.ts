import { type Command, Option } from 'commander';
import { createContext } from './context.ts';

/** `hostler display brightness 40`: what can be set of the displays of this machine. */
export function addDisplayCommands(program: Command): void {
  const display = program
    .command('display')
    .description('switch displays on and off and set their brightness, through the running service');
  const json = () => new Option('--json', 'print JSON instead of a sentence');
  const one = ['--display <id>', 'only this one, as listed by "data displays" (default: all)'] as const;
  display
    .command('brightness <percent>')
    .description('set the brightness, 0 to 100')
    .option(...one)
    .addOption(json())
    .action(async (percent, options) =>
      (await import('./display.ts')).setBrightness(await createContext(), percent, options),
    );
  for (const power of ['on', 'off'] as const)
    display
      .command(power)
      .description(power === 'on' ? 'switch displays on' : 'switch displays off, to save power')
      .option(...one)
      .addOption(json())
      .action(async (options) =>
        (await import('./display.ts')).switchDisplays(await createContext(), power === 'on', options),
      );
}
