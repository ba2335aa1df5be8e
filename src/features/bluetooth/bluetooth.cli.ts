import type { CommandContext } from '../../core/command.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { plain } from '../../lib/text-table.ts';
import type { Bluetooth } from './bluetooth.schema.ts';

export async function listBluetooth(context: CommandContext): Promise<void> {
  const payload = (await context.read('bluetooth')) as Bluetooth;
  if (context.isJson) return await context.answer(payload);
  const { adapters, devices } = payload;
  if (adapters.length === 0)
    return context.print(`No Bluetooth adapter was found on this machine; "${ownCommand('doctor')}" shows the reason`);
  for (const { id, name, address, powered, discovering } of adapters)
    context.print(plain(`${id}: ${name} (${address}) is ${powered ? 'on' : 'off'}${discovering ? ', searching' : ''}`));
  if (devices.length === 0) return context.print('No device is paired');
  context.table(
    ['NAME', 'KIND', 'CONNECTED', 'BATTERY', 'ADDRESS', 'ADAPTER'],
    devices.map(({ name, kind, connected, battery, address, adapter }) => [
      name,
      kind.replaceAll('_', ' '),
      connected ? 'yes' : 'no',
      battery === null ? '-' : `${battery} %`,
      address,
      adapter,
    ]),
  );
}
