import type { Broker } from './broker.ts';
import { mqttPackage } from './npm-tools.ts';

/** The part of the package that is used here: it is not a dependency, so its types are missing. */
interface NpmMqtt {
  connectAsync(url: string, options: { protocolVersion: 4 | 5; reconnectPeriod: 0 }): Promise<NpmClient>;
}

interface NpmClient {
  on(event: 'message', received: (topic: string, payload: Buffer, packet: NpmPacket) => void): void;
  subscribeAsync(filter: string, options: { qos: 1 }): Promise<unknown>;
  publishAsync(topic: string, payload: string, options: { qos: 1; properties?: NpmProperties }): Promise<unknown>;
  endAsync(force: boolean): Promise<void>;
}

interface NpmProperties {
  responseTopic?: string;
  correlationData?: Buffer;
}

interface NpmPacket {
  retain: boolean;
  properties?: NpmProperties;
}

export interface NpmMessage {
  topic: string;
  payload: string;
  retain: boolean;
  correlation: string | null;
}

/** The npm package mqtt: an independent witness beside mosquitto_sub. */
export interface NpmWitness extends AsyncDisposable {
  all(): NpmMessage[];
  publish(topic: string, payload: string, properties?: NpmProperties): Promise<void>;
}

const file = mqttPackage();

export const hasNpmWitness = file !== null;

/** Resolves when it has subscribed to everything. */
export async function startNpmWitness({ port }: Pick<Broker, 'port'>, protocolVersion: 4 | 5): Promise<NpmWitness> {
  const { connectAsync }: NpmMqtt = (await import(file ?? '')).default;
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion, reconnectPeriod: 0 });
  const received: NpmMessage[] = [];
  client.on('message', (topic, payload, { retain, properties }) => {
    received.push({
      topic,
      payload: payload.toString(),
      retain,
      correlation: properties?.correlationData?.toString() ?? null,
    });
  });
  await client.subscribeAsync('#', { qos: 1 });
  return {
    all: () => received,
    async publish(topic, payload, properties) {
      await client.publishAsync(topic, payload, { qos: 1, ...(properties !== undefined && { properties }) });
    },
    [Symbol.asyncDispose]: () => client.endAsync(true),
  };
}
