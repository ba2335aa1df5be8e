import type { MqttVersion } from './mqtt.ts';
import { type ConnectPacket, type OutgoingPacket, type PublishPacket, packetTypes } from './packets.ts';
import { property } from './properties.ts';

export function encodePacket(packet: OutgoingPacket, version: MqttVersion): Uint8Array {
  switch (packet.type) {
    case 'connect':
      return framed(packetTypes.connect, 0, connectBody(packet));
    case 'publish': {
      const flags = (packet.packetId === null ? 0 : 0x02) | (packet.retain ? 0x01 : 0);
      return framed(packetTypes.publish, flags, publishBody(packet, version));
    }
    case 'puback':
      return framed(packetTypes.puback, 0, [short(packet.packetId)]);
    case 'subscribe':
      // 0x02 is a required reserved bit.
      return framed(packetTypes.subscribe, 0x02, [
        short(packet.packetId),
        ...properties(version, []),
        ...packet.filters.flatMap((filter) => [text(filter), Uint8Array.of(subscriptionOf(version))]),
      ]);
    case 'pingreq':
    case 'disconnect':
      return framed(packetTypes[packet.type], 0, []);
  }
}

/** QoS 1; version 5 can also ask that retained messages are marked as such, and that those from before are not sent. */
const subscriptionOf = (version: MqttVersion) => (version === 5 ? 0x01 | 0x08 | 0x20 : 0x01);

function connectBody({ version, username, password, will, ...options }: ConnectPacket): Uint8Array[] {
  const hasPassword = username !== null && password !== null;
  const flags =
    (username === null ? 0 : 0x80) |
    (hasPassword ? 0x40 : 0) |
    // The will: retained, QoS 1.
    0x20 |
    0x08 |
    0x04 |
    (options.clean ? 0x02 : 0);
  return [
    text('MQTT'),
    Uint8Array.of(version, flags),
    short(options.keepAliveSeconds),
    ...properties(version, [
      [property.sessionExpiry, long(options.sessionSeconds)],
      [property.receiveMaximum, short(options.receiveMaximum)],
      [property.maximumPacketSize, long(options.longestPacket)],
    ]),
    text(options.clientId),
    ...properties(version, [[property.willDelay, long(will.delaySeconds)]]),
    text(will.topic),
    text(will.payload),
    ...(username === null ? [] : [text(username)]),
    ...(hasPassword ? [text(password)] : []),
  ];
}

function publishBody(message: PublishPacket, version: MqttVersion): Uint8Array[] {
  const { topic, payload, packetId, expiresAfter, correlation, contentType } = message;
  return [
    text(topic),
    ...(packetId === null ? [] : [short(packetId)]),
    ...properties(version, [
      ...given(property.messageExpiry, expiresAfter === undefined ? undefined : long(expiresAfter)),
      ...given(property.contentType, contentType === undefined ? undefined : text(contentType)),
      ...given(property.correlation, correlation === undefined ? undefined : data(correlation)),
    ]),
    typeof payload === 'string' ? encoder.encode(payload) : payload,
  ];
}

type Property = [id: number, value: Uint8Array];

const given = (id: number, value: Uint8Array | undefined): Property[] => (value === undefined ? [] : [[id, value]]);

/** Version 3.1.1 has none, not even an empty list. */
function properties(version: MqttVersion, list: readonly Property[]): Uint8Array[] {
  if (version !== 5) return [];
  const parts = list.flatMap(([id, value]) => [Uint8Array.of(id), value]);
  return [varint(lengthOf(parts)), ...parts];
}

function framed(type: number, flags: number, body: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Uint8Array.of((type << 4) | flags), varint(lengthOf(body)), ...body]);
}

const encoder = new TextEncoder();

const text = (value: string): Uint8Array => data(encoder.encode(value));

function data(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0xffff) throw new Error(`${bytes.length} bytes are more than fit into one field`);
  return Buffer.concat([short(bytes.length), bytes]);
}

const short = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 0xff);
const long = (value: number): Uint8Array => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

const lengthOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0);
