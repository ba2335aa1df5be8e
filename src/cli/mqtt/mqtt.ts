import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isObject } from '../../lib/values.ts';
import { isLocked } from '../../settings/locks.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { announcedFile, mqttRoutes, passwordFile } from '../../transports/mqtt/announced.ts';
import { openOwnSettings, owner } from '../command-settings.ts';
import type { CliContext } from '../context.ts';
import { requireService } from '../running-service.ts';
import { mqttStatusText } from './mqtt.status.ts';

export async function printMqttStatus({ host, answer, command }: CliContext): Promise<void> {
  const service = await requireService({ host, command });
  const status = await service.get(mqttRoutes.status);
  await answer(status, mqttStatusText(status, host.clock.now()));
}

/** `force`: also where the broker cannot be reached, which then keeps what was published. */
export async function forgetMqtt(
  { host, print, command }: CliContext,
  { force = false }: { force?: boolean },
): Promise<void> {
  const settings = await openOwnSettings(host);
  if (settings.current().mqtt.url === '') return print('No broker is set.');
  const removed = await removeFromBroker({ host, command }).catch((error) => {
    if (force) return messageOf(error);
    throw new Error(
      `${messageOf(error)}. "${ownCommand('mqtt forget --force')}" forgets the broker without removing this machine from it`,
    );
  });
  await settings.update({ mqtt: { url: '', username: '', ...mqttScopesFor(settings, undefined) } }, owner);
  if (typeof removed === 'number')
    return print(`This machine was removed from the broker (${removed} topics), and the password was removed.`);
  for (const file of [passwordFile(host), announcedFile(host)]) host.storage.remove(file);
  print(
    `The broker and its password are forgotten. The broker still has what this machine published there: ${removed}`,
  );
}

/** The number of topics that were emptied. */
async function removeFromBroker(context: Pick<CliContext, 'host' | 'command'>): Promise<number> {
  const done = await (await requireService(context)).post(mqttRoutes.forget);
  return isObject(done) ? Number(done.topics) : 0;
}

/** Another broker gets nothing that was granted to an earlier one. Locked settings stay. */
export function mqttScopesFor(settings: SettingsStore, given: string | undefined): { scopes?: string[] } {
  if (given !== undefined) return { scopes: given.split(',').map((scope) => scope.trim()) };
  return isLocked(settings.locks(), 'mqtt.scopes') ? {} : { scopes: ['read'] };
}
