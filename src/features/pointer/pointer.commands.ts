import type { CommandDefinition } from '../../core/command.ts';

const json = 'print JSON instead of a sentence';
const one = { flags: '--display <id>', description: 'a position on this display, as listed by "data displays"' };

export const pointerCommands: readonly CommandDefinition[] = [
  {
    usage: 'pointer',
    description: 'move the pointer of the desktop, click and scroll, through the running service',
    place: { group: 'control', rank: 5 },
  },
  {
    usage: 'pointer move <x> <y>',
    description: 'move it to a place; a negative number needs -- before the two',
    options: [one, { flags: '--by', description: 'move it by this distance to the right and down instead' }],
    json,
    action: { name: 'pointer.move', switches: { by: { x: 'dx', y: 'dy' } } },
  },
  {
    usage: 'pointer click [x] [y]',
    description: 'click, where it is or at a place',
    options: [
      {
        flags: '--button <name>',
        description: 'which button',
        choices: ['left', 'middle', 'right'],
        default: 'left',
      },
      { flags: '--count <times>', description: 'how often, 1 to 3', default: '1' },
      one,
    ],
    json,
    action: { name: 'pointer.click' },
  },
  {
    usage: 'pointer scroll <steps>',
    description: 'turn the wheel down, or up with a negative number, which needs -- before it',
    options: [{ flags: '--sideways', description: 'to the right, or to the left, instead' }],
    json,
    action: { name: 'pointer.scroll', fields: { steps: { field: 'dy' } }, switches: { sideways: { steps: 'dx' } } },
  },
];
