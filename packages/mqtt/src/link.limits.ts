import type { MqttLinkOptions } from './mqtt.ts';
import type { ConnackPacket } from './packets.ts';

/** What the broker lets us do. */
export interface Limits {
  highestQos: number;
  retainAvailable: boolean;
  longestPacket: number;
  /** Messages that may wait for their acknowledgement. */
  inFlight: number;
  keepAliveSeconds: number;
}

/** The longest packet there can be. */
const unlimited = 268_435_455;
const mostInFlight = 20;

export function limitsOf(packet: ConnackPacket, { keepAliveSeconds }: MqttLinkOptions): Limits {
  return {
    highestQos: packet.highestQos ?? 2,
    retainAvailable: packet.retainAvailable ?? true,
    longestPacket: packet.longestPacket ?? unlimited,
    inFlight: Math.max(1, Math.min(mostInFlight, packet.receiveMaximum ?? mostInFlight)),
    keepAliveSeconds: Math.max(2, packet.keepAliveSeconds || keepAliveSeconds),
  };
}
