import type { CommandDefinition } from '../../core/command.ts';

const list = {
  json: 'print JSON instead of a table',
  run: async () => (await import('./bluetooth.cli.ts')).listBluetooth,
} as const;
const order = {
  options: [{ flags: '--adapter <id>', description: 'adapter, where there are several, such as hci0' }],
  json: 'print JSON instead of a sentence',
} as const;

export const bluetoothCommands: readonly CommandDefinition[] = [
  {
    ...list,
    usage: 'bluetooth',
    description: 'list Bluetooth adapters and paired devices, connect and disconnect them',
    place: { group: 'control', rank: 6 },
  },
  {
    ...list,
    usage: 'bluetooth list',
    description: 'list the adapters and paired devices; also works without a running service',
  },
  ...['connect', 'disconnect'].map((verb) => ({
    ...order,
    usage: `bluetooth ${verb} <device>`,
    description: `${verb} a paired device, by its name or address`,
    action: { name: `bluetooth.${verb}` },
  })),
  {
    ...order,
    usage: 'bluetooth on',
    description: 'switch Bluetooth on',
    action: { name: 'bluetooth.power', input: { on: true } },
  },
  {
    ...order,
    usage: 'bluetooth off',
    description: 'switch Bluetooth off, which disconnects everything',
    action: { name: 'bluetooth.power', input: { on: false } },
  },
];
