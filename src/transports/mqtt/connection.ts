import { startClient } from '@hostler/mqtt/client.ts';
import { openLink } from '@hostler/mqtt/link.ts';
import type { MqttDelivery, MqttLink } from '@hostler/mqtt/mqtt.ts';
import type { TransportParts } from '../../core/transport.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { brokerTarget, shownBroker } from './broker-address.ts';
import { readBrokerPassword } from './broker-password.ts';
import type { MqttStatus } from './mqtt.schema.ts';
import type { Topics } from './topics.ts';

export interface ConnectionEvents {
  connected(link: MqttLink): void;
  accepts(topic: string): boolean;
  message(delivery: MqttDelivery): void;
  lost(): void;
}

const keepAliveSeconds = 60;
const willDelaySeconds = 10;
const patienceMs = 20_000;
const longestPacket = 131_072;

export type BrokerConnection = ReturnType<typeof connectToBroker>;

/** The connection to one broker; reconnects when it is lost. */
export function connectToBroker(
  { host, log }: Pick<TransportParts, 'host' | 'log'>,
  { given, topics, id }: { given: Settings['mqtt']; topics: Topics; id: string },
  events: ConnectionEvents,
) {
  const { clock, storage } = host;
  const broker = shownBroker(given.url);
  let since: number | null = null;
  let problem: string | null = null;
  let retryAt: number | null = null;

  const client = startClient(
    {
      clock,
      random: Math.random,
      async open({ version, clean }, linkEvents) {
        const target = brokerTarget(given, storage.read);
        return await openLink(
          { clock, open: (stream) => host.connect(target, stream, patienceMs) },
          {
            version,
            clean,
            clientId: `hostler-${id}`,
            username: given.username || null,
            password: await readBrokerPassword(host, given.url),
            keepAliveSeconds,
            will: { topic: topics.availability, payload: 'offline', delaySeconds: willDelaySeconds },
            longestPacket,
            patienceMs,
          },
          linkEvents,
        );
      },
    },
    {
      connected(link) {
        since = clock.now();
        problem = null;
        retryAt = null;
        log.info(`mqtt: connected to ${broker} with MQTT ${versionOf(link)}`);
        events.connected(link);
      },
      accepts: events.accepts,
      message: events.message,
      lost(sentence, retryMs) {
        const isNews = since !== null || problem !== sentence;
        since = null;
        problem = sentence;
        retryAt = clock.now() + retryMs;
        if (isNews) log.warn(`mqtt: ${broker}: ${sentence}`);
        events.lost();
      },
    },
  );

  return {
    /** null: not connected now. */
    link: client.link,
    restart: client.restart,
    close: client.close,
    state(): Pick<MqttStatus, 'connected' | 'since' | 'protocol' | 'problem' | 'retry_at'> {
      const link = client.link();
      return {
        connected: link !== null,
        since: timeOf(since),
        protocol: link === null ? null : versionOf(link),
        problem,
        retry_at: timeOf(retryAt),
      };
    },
  };
}

const versionOf = ({ version }: MqttLink) => (version === 5 ? '5' : '3.1.1');
const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
