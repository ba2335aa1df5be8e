import path from 'node:path';
import { sealed } from '../../access/secrets.ts';
import { settingsCatalogue } from '../../features/index.ts';
import type { Host } from '../../host/host.ts';
import { sleep } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isObject } from '../../lib/values.ts';
import { isLocked } from '../../settings/locks.ts';
import { openSettings, type SettingsStore } from '../../settings/settings.ts';
import { mqttRoutes, passwordFile } from '../../transports/mqtt/announced.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { findService, howToStart, requireService } from '../running-service.ts';
import { createPrompt } from '../terminal.prompt.ts';
import { brokerGrant, mqttStatusText } from './mqtt.status.ts';

export interface MqttSetup {
  url?: string;
  username?: string;
  passwordFile?: string;
  caFile?: string;
  certificateFile?: string;
  keyFile?: string;
  serverName?: string;
  scope?: string;
}

/** How long to wait for a broker before the command ends. */
const connectWithinMs = 10_000;
const lookEveryMs = 250;

export async function setUpMqtt(context: CliContext, options: MqttSetup): Promise<void> {
  const { host, print } = context;
  const prompt = createPrompt();
  const settings = await open(host);
  const url = (options.url ?? prompt.line('Broker, such as mqtts://broker.example:8883: ')).trim();
  if (url === '')
    throw new UsageError(`A broker is needed; "${ownCommand('mqtt forget')}" removes the one that is set`);
  const username = (options.username ?? prompt.line('User name (empty for none): ')).trim();
  const password = passwordFrom(host, options, username, prompt);
  const given = {
    url,
    username,
    ...absolute('caFile', options.caFile),
    ...absolute('certificateFile', options.certificateFile),
    ...absolute('keyFile', options.keyFile),
    ...(options.serverName !== undefined && { serverName: options.serverName }),
    ...scopesFor(settings, options.scope),
  };
  // Before the settings: a running service connects as soon as they change.
  host.storage.prepareDirectory(host.paths.state);
  if (password === null) host.storage.remove(passwordFile(host));
  else host.storage.write(passwordFile(host), await sealed(host, `${password}\n`));
  const { mqtt } = await settings.update({ mqtt: given }, { local: true, cli: true });
  print(`The broker is ${mqtt.url}.${password === null ? '' : ` The password is in ${passwordFile(host)}.`}`);
  print(brokerGrant(mqtt.scopes));
  print(await outcome(context));
}

export async function printMqttStatus(
  { host, print, command }: CliContext,
  { json = false }: { json?: boolean },
): Promise<void> {
  const service = await requireService({ host, command });
  const status = await service.get(mqttRoutes.status);
  print(json ? JSON.stringify(status, null, 2) : mqttStatusText(status, host.clock.now()));
}

export async function forgetMqtt({ host, print, command }: CliContext): Promise<void> {
  const settings = await open(host);
  if (settings.current().mqtt.url === '') return print('No broker is set.');
  const service = await requireService({ host, command });
  const done = await service.post(mqttRoutes.forget);
  await settings.update(
    { mqtt: { url: '', username: '', ...scopesFor(settings, undefined) } },
    { local: true, cli: true },
  );
  const topics = isObject(done) ? Number(done.topics) : 0;
  print(`This machine was removed from the broker (${topics} topics), and the password was removed.`);
}

function passwordFrom(
  { storage }: Host,
  { passwordFile: file }: MqttSetup,
  username: string,
  prompt: ReturnType<typeof createPrompt>,
): string | null {
  if (username === '') return null;
  if (file === undefined) return prompt.secret('Password (not shown): ') || null;
  const text = storage.read(path.resolve(file));
  if (text === null) throw new UsageError(`There is no file ${file}`);
  return text.split('\n')[0]?.trim() || null;
}

/** Another broker gets nothing that was granted to an earlier one. Locked settings stay. */
function scopesFor(settings: SettingsStore, given: string | undefined): { scopes?: string[] } {
  if (given !== undefined) return { scopes: given.split(',').map((scope) => scope.trim()) };
  return isLocked(settings.locks(), 'mqtt.scopes') ? {} : { scopes: ['read'] };
}

const absolute = (key: string, file: string | undefined) =>
  file === undefined ? {} : { [key]: file === '' ? '' : path.resolve(file) };

/** Whether it worked, as far as a running service can say soon. */
async function outcome({ host, command }: CliContext): Promise<string> {
  const service = await findService(host);
  if (service === null) return `The service connects when it runs; ${await howToStart({ host, command })}.`;
  await service.post(mqttRoutes.reconnect);
  for (let waited = 0; waited < connectWithinMs; waited += lookEveryMs) {
    const status = await service.get(mqttRoutes.status);
    if (isObject(status) && status.connected === true) return 'The service is connected to it.';
    if (isObject(status) && typeof status.problem === 'string' && waited > 0)
      return `The service is not connected yet: ${status.problem}`;
    await sleep(host.clock, lookEveryMs);
  }
  return `The service is not connected yet; "${command} mqtt status" shows why.`;
}

const open = (host: Host) =>
  openSettings(
    settingsCatalogue,
    host,
    createLog((line) => process.stderr.write(line), 'WARN'),
  );
