import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isObject } from '../../lib/values.ts';
import { mqttRoutes, passwordFile } from '../../transports/mqtt/announced.ts';
import { brokerUrl, isExposed, shownBroker } from '../../transports/mqtt/broker-address.ts';
import { connectWithinMs, reachBroker, signInAtBroker } from '../../transports/mqtt/broker-check.ts';
import { writeBrokerPassword } from '../../transports/mqtt/broker-password.ts';
import { openOwnSettings, owner } from '../command-settings.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { findService, howToStart } from '../running-service.ts';
import { createPrompt } from '../terminal.prompt.ts';
import { brokerGrant } from './mqtt.status.ts';
import { mqttScopesFor } from './mqtt.ts';

export interface MqttSetup {
  url?: string;
  username?: string;
  passwordFile?: string;
  caFile?: string;
  certificateFile?: string;
  keyFile?: string;
  serverName?: string;
  scope?: string;
  /** Sets a broker that cannot be reached now. */
  force?: boolean;
}

const lookEveryMs = 250;

export async function setUpMqtt(context: CliContext, broker: string | undefined, options: MqttSetup): Promise<void> {
  const { host, print } = context;
  const prompt = createPrompt();
  const settings = await openOwnSettings(host);
  const typed = (
    broker ??
    options.url ??
    prompt.line('Broker, such as broker.example or mqtts://broker.example:8883: ')
  ).trim();
  if (typed === '')
    throw new UsageError(`A broker is needed; "${ownCommand('mqtt forget')}" removes the one that is set`);
  const place = { ...settings.current().mqtt, url: urlOf(typed), ...tlsFrom(options) };
  // Before the user types a password.
  await checked(options, () => reachBroker(host, place));
  const username = (options.username ?? prompt.line('User name (empty for none): ')).trim();
  if (username !== '' && isExposed(place.url))
    context.complain(`The password for ${shownBroker(place.url)} travels unencrypted; use mqtts:// or wss://.`);
  const password = passwordFrom(host, options, username, prompt);
  await checked(options, () => signInAtBroker(host, { ...place, username }, password));
  const given = { url: place.url, ...tlsFrom(options), username, ...mqttScopesFor(settings, options.scope) };
  // A running service connects as soon as the settings change: neither broker must get the password of the other.
  const isMoved = place.url !== settings.current().mqtt.url;
  const { mqtt } = await settings.update({ mqtt: isMoved ? { ...given, url: '' } : given }, owner);
  const file = passwordFile(host);
  if (password === null) host.storage.remove(file);
  else await writeBrokerPassword(host, place.url, password);
  if (isMoved) await settings.update({ mqtt: { url: place.url } }, owner);
  print(`The broker is ${place.url}.${password === null ? '' : ` The password is in ${file}.`}`);
  print(brokerGrant(mqtt.scopes));
  print(await outcome(context, options));
}

function urlOf(typed: string): string {
  const url = brokerUrl(typed);
  if (url !== null) return url;
  throw new UsageError(
    `${JSON.stringify(typed)} is not the address of a broker; write it as broker.example, broker.example:1883 or mqtts://broker.example`,
  );
}

const tlsFrom = ({ caFile, certificateFile, keyFile, serverName }: MqttSetup) => ({
  ...absolute('caFile', caFile),
  ...absolute('certificateFile', certificateFile),
  ...absolute('keyFile', keyFile),
  ...(serverName !== undefined && { serverName }),
});

async function checked({ force = false }: MqttSetup, check: () => Promise<void>): Promise<void> {
  if (force) return;
  try {
    await check();
  } catch (error) {
    throw new Error(
      `${messageOf(error)}. Check what you typed, or set it all the same with --force; nothing was changed`,
    );
  }
}

const absolute = (key: string, file: string | undefined) =>
  file === undefined ? {} : { [key]: file === '' ? '' : path.resolve(file) };

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

/** Whether it worked, as far as a running service can say soon. */
async function outcome({ host, command }: CliContext, { force = false }: MqttSetup): Promise<string> {
  const service = await findService(host);
  if (service === null) return `The service connects when it runs; ${await howToStart({ host, command })}.`;
  await service.post(mqttRoutes.reconnect);
  for (let waited = 0; waited < connectWithinMs; waited += lookEveryMs) {
    const status = await service.get(mqttRoutes.status);
    if (isObject(status) && status.connected === true) return 'The service is connected to it.';
    if (isObject(status) && typeof status.problem === 'string' && waited > 0) {
      const sentence = `The service is not connected yet: ${status.problem}`;
      if (force) return sentence;
      throw new Error(sentence);
    }
    await sleep(host.clock, lookEveryMs);
  }
  return `The service is not connected yet; "${command} mqtt status" shows why.`;
}
