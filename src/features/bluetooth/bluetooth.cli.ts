import type { CliContext } from '../../cli/context.ts';
import { openLocalStore } from '../../cli/offline-store.ts';
import { plain, table } from '../../cli/output.ts';
import { findService, requireService } from '../../cli/running-service.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import type { Bluetooth } from './bluetooth.schema.ts';

/** From the running service, or, where there is none, by a look of our own. */
export async function listBluetooth(context: CliContext, { json = false }: { json?: boolean }): Promise<void> {
  const service = await findService(context.host);
  const answer =
    service === null
      ? (await (await openLocalStore(context.host)).get('bluetooth')).payload
      : await service.get(localRoutes.data('bluetooth'));
  // What this service answers is what the schema of the module promises.
  const payload = answer as Bluetooth;
  if (json) return context.print(JSON.stringify(payload, null, 2));
  const { adapters, devices } = payload;
  if (adapters.length === 0)
    return context.print(`No Bluetooth was found on this machine; "${ownCommand('doctor')}" says why`);
  for (const { id, name, address, powered, discovering } of adapters)
    context.print(plain(`${id}: ${name} (${address}) is ${powered ? 'on' : 'off'}${discovering ? ', searching' : ''}`));
  if (devices.length === 0) return context.print('No device is paired');
  context.print(
    table(
      ['NAME', 'KIND', 'CONNECTED', 'BATTERY', 'ADDRESS', 'ADAPTER'],
      devices.map(({ name, kind, connected, battery, address, adapter }) => [
        name,
        kind.replaceAll('_', ' '),
        connected ? 'yes' : 'no',
        battery === null ? '-' : `${battery} %`,
        address,
        adapter,
      ]),
      context.screen(),
    ),
  );
}

export async function orderBluetooth(
  context: CliContext,
  action: string,
  input: Record<string, unknown>,
  { adapter, json = false }: { adapter?: string; json?: boolean },
): Promise<void> {
  const service = await requireService(context);
  const done = await service.perform(action, { ...input, ...(adapter === undefined ? {} : { adapter }) });
  context.print(json ? JSON.stringify(done, null, 2) : plain(done.message));
}
