import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';

/** `hostler display brightness 40`: what can be set of the displays of this machine. */
export function addDisplayCommands(program: Command): void {
  const display = program
    .command('display')
    .description('switch displays on and off, set their brightness, contrast and input, through the running service');
  const json = () => new Option('--json', 'print JSON instead of a sentence');
  const one = ['--display <id>', 'only this one, as listed by "data displays" (default: all)'] as const;
  display
    .command('brightness <percent>')
    .description('set the brightness, 0 to 100')
    .option(...one)
    .addOption(json())
    .action(async (percent, options) =>
      (await import('./displays.cli.ts')).setBrightness(await createContext(), percent, options),
    );
  display
    .command('contrast <percent>')
    .description('set the contrast of monitors, 0 to 100')
    .option(...one)
    .addOption(json())
    .action(async (percent, options) =>
      (await import('./displays.cli.ts')).setContrast(await createContext(), percent, options),
    );
  display
    .command('input <name>')
    .description('switch a monitor to another input, such as HDMI-1')
    .option('--display <id>', 'this monitor, as listed by "data displays"; needed where there are several')
    .addOption(json())
    .action(async (name, options) =>
      (await import('./displays.cli.ts')).setInput(await createContext(), name, options),
    );
  for (const power of ['on', 'off'] as const)
    display
      .command(power)
      .description(power === 'on' ? 'switch displays on' : 'switch displays off, to save power')
      .option(...one)
      .addOption(json())
      .action(async (options) =>
        (await import('./displays.cli.ts')).switchDisplays(await createContext(), power === 'on', options),
      );
}
