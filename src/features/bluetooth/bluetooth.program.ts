import { type Command, Option } from 'commander';
import { createContext } from '../../cli/context.ts';

/** `hostler bluetooth connect Headphones`: adapters and paired devices of this machine. */
export function addBluetoothCommands(program: Command): void {
  const table = () => new Option('--json', 'print JSON instead of a table');
  const sentence = () => new Option('--json', 'print JSON instead of a sentence');
  const one = ['--adapter <id>', 'adapter, where there are several, such as hci0'] as const;
  const bluetooth = program
    .command('bluetooth')
    .description('list Bluetooth adapters and paired devices, connect and disconnect them')
    // Else it would take the --json of the commands below it for its own.
    .enablePositionalOptions()
    .addOption(table())
    .action(async (options) => (await import('./bluetooth.cli.ts')).listBluetooth(await createContext(), options));
  bluetooth
    .command('list')
    .description('list them; also works without a running service')
    .addOption(table())
    .action(async (options) => (await import('./bluetooth.cli.ts')).listBluetooth(await createContext(), options));
  for (const verb of ['connect', 'disconnect'] as const)
    bluetooth
      .command(`${verb} <device>`)
      .description(`${verb} a paired device, by its name or address`)
      .option(...one)
      .addOption(sentence())
      .action(async (device, options) =>
        (await import('./bluetooth.cli.ts')).orderBluetooth(
          await createContext(),
          `bluetooth.${verb}`,
          { device },
          options,
        ),
      );
  for (const power of ['on', 'off'] as const)
    bluetooth
      .command(power)
      .description(power === 'on' ? 'switch Bluetooth on' : 'switch Bluetooth off, which disconnects everything')
      .option(...one)
      .addOption(sentence())
      .action(async (options) =>
        (await import('./bluetooth.cli.ts')).orderBluetooth(
          await createContext(),
          'bluetooth.power',
          { on: power === 'on' },
          options,
        ),
      );
}
