import fs from 'node:fs';
import path from 'node:path';
import type { Broker, Witness } from './broker.ts';
import { type RunningHostler, type StartOptions, startHostler, until } from './service.ts';

/** The deadline on a busy machine. */
export const long = 180_000;

export interface ShownMqttStatus {
  enabled: boolean;
  connected: boolean;
  since: string | null;
  protocol: string | null;
  problem: string | null;
  id: string;
  controls: string[];
  entities: number;
  messages: number;
}

/** Where the command of `startWith` creates its marker file. */
export const marker = (directory: string) => path.join(directory, 'was-run');

/** A service that is configured for a broker before it starts. A command creates a marker file where it was run. */
export const startWith = (
  mqtt: Record<string, unknown>,
  remembered: string | null = null,
  options: Pick<StartOptions, 'env' | 'through'> = {},
): Promise<RunningHostler> =>
  startHostler({
    ...options,
    prepare(directory) {
      const mark = {
        id: 'mark',
        name: 'Mark',
        command: '/usr/bin/touch',
        workingDir: '',
        arguments: [marker(directory)],
      };
      const settings = { mqtt: { interval: 1, ...mqtt }, commands: { allowlist: [mark] } };
      for (const place of ['config', 'state']) fs.mkdirSync(path.join(directory, place), { mode: 0o700 });
      fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
      if (remembered !== null) fs.writeFileSync(path.join(directory, 'state', 'mqtt.json'), remembered);
    },
  });

export const urlOf = ({ port }: Pick<Broker, 'port'>) => `mqtt://127.0.0.1:${port}`;
export const statusOf = async (hostler: RunningHostler): Promise<ShownMqttStatus> =>
  (await hostler.get('/api/mqtt')).json();

export const connected = (hostler: RunningHostler) =>
  until(async () => {
    const status = await statusOf(hostler);
    return status.connected ? status : null;
  }, long);

/** The message that announces the whole machine to Home Assistant. */
export const announced = (witness: Witness, id: string) =>
  until(() => witness.last(`homeassistant/device/hostler_${id}/config`) || null, long).then((text) => JSON.parse(text));

/** The payload of a topic, which may still arrive. */
export const payloadAt = (witness: Witness, topic: string) => until(() => witness.last(topic), long);
export const hasPayload = (witness: Witness, topic: string, payload: string) =>
  until(() => witness.last(topic) === payload || null, long);

export const componentsOf = (message: { components: Record<string, Record<string, unknown>> }) => message.components;
