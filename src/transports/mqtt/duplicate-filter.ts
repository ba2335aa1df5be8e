import type { MqttDelivery } from '@hostler/mqtt/mqtt.ts';

const most = 200;
/** Bytes of a payload that are compared. */
const compared = 3072;

/** Recognises messages that the broker delivers again because it received no acknowledgement. */
export function createDuplicateFilter(): (delivery: MqttDelivery) => boolean {
  /** Oldest first. */
  const seen = new Set<string>();
  return ({ topic, payload, packetId, duplicate }) => {
    if (packetId === null) return false;
    const print = `${packetId} ${topic} ${payload.length} ${Buffer.from(payload.subarray(0, compared)).toString('base64')}`;
    const wasSeen = seen.delete(print);
    seen.add(print);
    const [oldest] = seen;
    if (seen.size > most && oldest !== undefined) seen.delete(oldest);
    // Packet ids are reused: only a message with the DUP flag is a repetition.
    return duplicate && wasSeen;
  };
}
