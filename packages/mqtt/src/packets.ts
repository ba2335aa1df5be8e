import type { MqttDelivery, MqttMessage, MqttVersion } from './mqtt.ts';

export type OutgoingPacket =
  | ConnectPacket
  | PublishPacket
  | { type: 'puback'; packetId: number }
  | { type: 'subscribe'; packetId: number; filters: readonly string[] }
  | { type: 'pingreq' }
  | { type: 'disconnect' };

export interface ConnectPacket {
  type: 'connect';
  version: MqttVersion;
  clientId: string;
  username: string | null;
  password: string | null;
  clean: boolean;
  keepAliveSeconds: number;
  will: { topic: string; payload: string; delaySeconds: number };
  /** Version 5 only. */
  sessionSeconds: number;
  longestPacket: number;
  receiveMaximum: number;
}

/** QoS 1 has a number, QoS 0 has none. */
export interface PublishPacket extends Omit<MqttMessage, 'qos'> {
  type: 'publish';
  packetId: number | null;
}

export type IncomingPacket =
  | ConnackPacket
  | DeliveredPacket
  | { type: 'puback'; packetId: number; code: number; reason: string | null }
  | { type: 'suback'; packetId: number; codes: number[]; reason: string | null }
  | { type: 'pingresp' }
  | { type: 'disconnect'; code: number; reason: string | null };

/** null: not given. */
export interface ConnackPacket {
  type: 'connack';
  code: number;
  reason: string | null;
  highestQos: number | null;
  retainAvailable: boolean | null;
  longestPacket: number | null;
  receiveMaximum: number | null;
  keepAliveSeconds: number | null;
}

export interface DeliveredPacket extends MqttDelivery {
  type: 'publish';
  qos: 0 | 1;
}

/** The first four bits of a packet. */
export const packetTypes = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  subscribe: 8,
  suback: 9,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const;
