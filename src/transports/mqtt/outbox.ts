import type { MqttLink, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import type { Clock } from '../../lib/clock.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';

/** Since the service started: they outlive the session of a broker. */
export interface MqttCounters {
  messages: number;
}

/** Beyond this many unsent bytes nothing is queued: the newest values are sent when the broker reads again. */
const mostWaiting = 262_144;
const deliveredWithinMs = 1500;

export type MqttOutbox = ReturnType<typeof createMqttOutbox>;

export function createMqttOutbox(
  clock: Clock,
  linkNow: () => MqttLink | null,
  complain: (sentence: string) => void,
  counters: MqttCounters,
) {
  const unacknowledged = new Set<Promise<void>>();
  /** False: not sent; retained messages are sent again later. */
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
    publishRetained: (topic: string, payload: string) => publish({ topic, payload, qos: 1, retain: true }),
    /** Resolves when every QoS 1 message is acknowledged, or after a deadline. */
    async delivered() {
      await Promise.race([Promise.all([...unacknowledged]), sleep(clock, deliveredWithinMs)]);
    },
  };
}
