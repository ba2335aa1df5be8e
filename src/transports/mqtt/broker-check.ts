import { openLink } from '@hostler/mqtt/link.ts';
import { MqttRefusal, type MqttVersion } from '@hostler/mqtt/mqtt.ts';
import type { TransportParts } from '../../core/transport.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { brokerTarget } from './broker-address.ts';
import { topicsOf } from './topics.ts';

type Machine = Pick<TransportParts['host'], 'clock' | 'connect' | 'storage'>;

/** How long to wait for a broker before a command ends. */
export const connectWithinMs = 10_000;

/** Whether its address answers, with TLS and the certificates that were given. Throws an explanation. */
export async function reachBroker({ connect, storage }: Machine, mqtt: Settings['mqtt']): Promise<void> {
  const ignored = { data: () => {}, closed: () => {} };
  (await connect(brokerTarget(mqtt, storage.read), ignored, connectWithinMs)).close();
}

/** Whether it accepts the user. Throws its refusal. */
export async function signInAtBroker(
  machine: Machine,
  mqtt: Settings['mqtt'],
  password: string | null,
  version: MqttVersion = 5,
): Promise<void> {
  const { clock, connect, storage } = machine;
  const target = brokerTarget(mqtt, storage.read);
  try {
    const link = await openLink(
      { clock, open: (stream) => connect(target, stream, connectWithinMs) },
      {
        version,
        clean: true,
        clientId: 'hostler-setup',
        username: mqtt.username || null,
        password,
        keepAliveSeconds: 60,
        will: { topic: topicsOf(mqtt.topic, 'setup').availability, payload: '', delaySeconds: 0 },
        longestPacket: 65_536,
        patienceMs: connectWithinMs,
      },
      { accepts: () => false, message() {}, closed() {} },
    );
    link.close();
  } catch (error) {
    // Some brokers of version 3.1.1 close the connection silently.
    const isOlder = error instanceof MqttRefusal && (error.kind === 'version' || error.kind === 'silent');
    if (!isOlder || version !== 5) throw error;
    await signInAtBroker(machine, mqtt, password, 4);
  }
}
