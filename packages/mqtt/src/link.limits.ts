import type { MqttLinkOptions } from './mqtt.ts';
import type { ConnackPacket } from './packets.ts';

/** Limits of the broker. */
export interface Limits {
  highestQos: number;
  retainAvailable: boolean;
  longestPacket: number;
  /** Unacknowledged messages at a time. */
  inFlight: number;
  keepAliveSeconds: number;
}

/** The maximum packet size of the protocol. */
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
