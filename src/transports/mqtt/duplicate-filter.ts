import type { MqttDelivery } from '@hostler/mqtt/mqtt.ts';

/** Recognises what the broker delivers a second time, because it did not hear that it had arrived. */
export interface Repeats {
  isRepeated(delivery: MqttDelivery): boolean;
}

const most = 200;
/** Bytes of a payload that are compared. */
const compared = 3072;

export function createRepeats(): Repeats {
  /** The oldest first. */
  const seen = new Set<string>();
  return {
    isRepeated({ topic, payload, packetId, duplicate }) {
      if (packetId === null) return false;
      const print = `${packetId} ${topic} ${payload.length} ${Buffer.from(payload.subarray(0, compared)).toString('base64')}`;
      const wasSeen = seen.delete(print);
      seen.add(print);
      const [oldest] = seen;
      if (seen.size > most && oldest !== undefined) seen.delete(oldest);
      // Numbers are used again: only one that says so itself is a repetition.
      return duplicate && wasSeen;
    },
  };
}
