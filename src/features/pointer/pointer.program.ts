import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';

/** `hostler pointer click 640 360`: the pointer of the desktop. */
export function addPointerCommands(program: Command): void {
  const pointer = program
    .command('pointer')
    .description('move the pointer of the desktop, click and scroll, through the running service');
  const json = () => new Option('--json', 'print JSON instead of a sentence');
  const one = ['--display <id>', 'count the pixels of this display, as listed by "data displays"'] as const;
  pointer
    .command('move <x> <y>')
    .description('move it to a place; a negative number needs -- before the two')
    .option(...one)
    .option('--by', 'move it by so much to the right and down instead')
    .addOption(json())
    .action(async (x, y, options) =>
      (await import('./pointer.cli.ts')).movePointer(await createContext(), [x, y], options),
    );
  pointer
    .command('click [x] [y]')
    .description('click, where it is or at a place')
    .addOption(new Option('--button <name>', 'which button').choices(['left', 'middle', 'right']).default('left'))
    .option('--count <times>', 'how often, 1 to 3', '1')
    .option(...one)
    .addOption(json())
    .action(async (x, y, options) =>
      (await import('./pointer.cli.ts')).clickPointer(await createContext(), [x, y], options),
    );
  pointer
    .command('scroll <steps>')
    .description('turn the wheel down, or up with a negative number, which needs -- before it')
    .option('--sideways', 'to the right, or to the left, instead')
    .addOption(json())
    .action(async (steps, options) =>
      (await import('./pointer.cli.ts')).scrollPointer(await createContext(), steps, options),
    );
}
