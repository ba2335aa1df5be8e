import type { MqttLink, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import type { Clock } from '../../lib/clock.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';

export interface MqttOutbox {
  /** False: not sent; retained messages are sent again later. */
  publish(message: MqttMessage): boolean;
  publishRetained(topic: string, payload: string): boolean;
  /** Resolves when every QoS 1 message is acknowledged, or after a deadline. */
  delivered(): Promise<void>;
}

/** Since the service started: they outlive the session of a broker. */
export interface MqttCounters {
  messages: number;
}

/** Beyond this many unsent bytes nothing is queued: the newest values are sent when the broker reads again. */
const mostWaiting = 262_144;
const deliveredWithinMs = 1500;

export function createMqttOutbox(
  clock: Clock,
  linkNow: () => MqttLink | null,
  complain: (sentence: string) => void,
  counters: MqttCounters,
): MqttOutbox {
  const unacknowledged = new Set<Promise<void>>();
  const publish = (message: MqttMessage): boolean => {
    const link = linkNow();
    if (link === null || link.waiting() > mostWaiting) return false;
    counters.messages++;
    const sent = link.publish(message).catch((error) => {
      if (link === linkNow()) complain(`mqtt: ${message.topic} could not be published: ${messageOf(error)}`);
    });
    if (message.qos === 1) {
      unacknowledged.add(sent);
      void sent.then(() => unacknowledged.delete(sent));
    }
    return true;
  };
  return {
    publish,
    publishRetained: (topic, payload) => publish({ topic, payload, qos: 1, retain: true }),
    async delivered() {
      await Promise.race([Promise.all([...unacknowledged]), sleep(clock, deliveredWithinMs)]);
    },
  };
}
