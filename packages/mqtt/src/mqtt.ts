import type { ByteStream, ByteStreamEvents } from '@hostler/io/byte-stream.ts';
import type { Clock } from '@hostler/io/clock.ts';

/** 4 is 3.1.1 on the wire. */
export type MqttVersion = 4 | 5;

export interface MqttMessage {
  topic: string;
  payload: string | Uint8Array;
  qos: 0 | 1;
  retain: boolean;
  /** Expiry in seconds; version 5 only. */
  expiresAfter?: number;
  /** Correlation data; version 5 only. */
  correlation?: Uint8Array;
  /** Of the payload, such as application/json; version 5 only. */
  contentType?: string;
}

export interface MqttDelivery {
  topic: string;
  payload: Uint8Array;
  retain: boolean;
  /** The broker may have sent it before. */
  duplicate: boolean;
  /** null: QoS 0. */
  packetId: number | null;
  /** Seconds that were left when the broker sent it; null: it does not expire. */
  expiresAfter: number | null;
  responseTopic: string | null;
  correlation: Uint8Array | null;
}

export interface MqttLinkOptions {
  version: MqttVersion;
  clientId: string;
  username: string | null;
  password: string | null;
  /** Start a new session. */
  clean: boolean;
  keepAliveSeconds: number;
  /** The will: published by the broker when the connection is lost. */
  will: { topic: string; payload: string; delaySeconds: number };
  /** Bytes of the longest packet we take. */
  longestPacket: number;
  /** How long the broker may take for an answer to CONNECT and PINGREQ. */
  patienceMs: number;
}

export interface MqttLinkEvents {
  /** Called with the topic before the rest of the message is decoded. False: the message is acknowledged and dropped. */
  accepts(topic: string): boolean;
  message(delivery: MqttDelivery): void;
  /** Once, unless we closed it. */
  closed(error: Error): void;
}

/** A connection that the broker accepted. */
export interface MqttLink {
  version: MqttVersion;
  /** QoS 1 resolves on acknowledgement, QoS 0 when it was passed to the system. Rejects when the broker refuses it or disconnects. */
  publish(message: MqttMessage): Promise<void>;
  /** Earlier retained messages are not delivered where the version supports that. Rejects when one of them is refused. */
  subscribe(filters: readonly string[]): Promise<void>;
  /** Bytes that the system has not taken yet. */
  waiting(): number;
  /** Disconnects in order: the broker discards the will. */
  close(): void;
}

export interface MqttLinkParts {
  clock: Clock;
  open(events: ByteStreamEvents): Promise<ByteStream>;
}

/** The broker sends more than an honest broker does. */
export class MqttFlood extends Error {
  override readonly name = 'MqttFlood';

  constructor() {
    super('The broker sends more packets than are accepted');
  }
}

export class MqttRefusal extends Error {
  override readonly name = 'MqttRefusal';
  /** `silent`: it closed the connection instead of answering. */
  readonly kind: 'version' | 'silent' | 'credentials' | 'other';

  constructor(kind: MqttRefusal['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
