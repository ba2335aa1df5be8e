import type { CommandDefinition } from '../../core/command.ts';

const json = 'print JSON instead of a sentence';
const one = { flags: '--display <id>', description: 'only this one, as listed by "data displays" (default: all)' };

export const displayCommands: readonly CommandDefinition[] = [
  {
    usage: 'display',
    description: 'switch displays on and off, set their brightness, contrast and input, through the running service',
    place: { group: 'control', rank: 3 },
  },
  {
    usage: 'display brightness <percent>',
    description: 'set the brightness, 0 to 100',
    options: [one],
    json,
    action: { name: 'display.brightness', fields: { percent: { as: 'percent', label: 'brightness' } } },
  },
  {
    usage: 'display contrast <percent>',
    description: 'set the contrast of monitors, 0 to 100',
    options: [one],
    json,
    action: { name: 'display.contrast', fields: { percent: { as: 'percent', label: 'contrast' } } },
  },
  {
    usage: 'display input <name>',
    description: 'switch a monitor to another input, such as HDMI-1',
    options: [
      {
        flags: '--display <id>',
        description: 'this monitor, as listed by "data displays"; needed where there are several',
      },
    ],
    json,
    action: { name: 'display.input', fields: { name: { field: 'input' } } },
  },
  {
    usage: 'display on',
    description: 'switch displays on',
    options: [one],
    json,
    action: { name: 'display.power', input: { on: true } },
  },
  {
    usage: 'display off',
    description: 'switch displays off, to save power',
    options: [one],
    json,
    action: { name: 'display.power', input: { on: false } },
  },
];
