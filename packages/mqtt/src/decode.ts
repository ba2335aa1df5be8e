import type { MqttVersion } from './mqtt.ts';
import { createPacketReader, type PacketReader } from './packet-reader.ts';
import { type ConnackPacket, type DeliveredPacket, type IncomingPacket, packetTypes } from './packets.ts';
import { noProperties, type Properties, property, readProperties } from './properties.ts';

/** Parses one whole packet of a broker. Throws when it is invalid, or not one for a client. */
export function decodePacket(bytes: Uint8Array, version: MqttVersion): IncomingPacket {
  return explained(() => {
    const reader = createPacketReader(bytes);
    const first = reader.byte();
    const body = reader.part(reader.varint());
    const packet = decodeBody(first >> 4, first & 0x0f, body, version);
    if (body.left() > 0 || reader.left() > 0) throw new Error('it has excess bytes');
    return packet;
  });
}

/** Parses the first fields of a message; the rest is neither read nor checked. null: another type of packet. */
export function decodePublishStart(bytes: Uint8Array): PublishStart | null {
  return explained(() => {
    const reader = createPacketReader(bytes);
    const first = reader.byte();
    return first >> 4 === packetTypes.publish ? readPublishStart(first & 0x0f, reader.part(reader.varint())) : null;
  });
}

interface PublishStart {
  topic: string;
  /** null: QoS 0. */
  packetId: number | null;
}

function explained<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The broker sent a packet that cannot be read: ${why}`);
  }
}

function decodeBody(type: number, flags: number, body: PacketReader, version: MqttVersion): IncomingPacket {
  if (type === packetTypes.publish) return decodePublish(flags, body, version);
  if (flags !== 0) throw new Error('its flags are wrong');
  switch (type) {
    case packetTypes.connack:
      return decodeConnack(body, version);
    case packetTypes.puback: {
      const packetId = packetIdOf(body);
      return { type: 'puback', packetId, ...reasonOf(body, version) };
    }
    case packetTypes.suback: {
      const packetId = packetIdOf(body);
      const reason = propertiesOf(body, version).text(property.reason);
      const codes = [...body.rest()];
      if (codes.length === 0) throw new Error('it has no reason code');
      return { type: 'suback', packetId, codes, reason };
    }
    case packetTypes.pingresp:
      return { type: 'pingresp' };
    case packetTypes.disconnect:
      if (version !== 5) throw new Error('version 3.1.1 has no such packet');
      return { type: 'disconnect', ...reasonOf(body, version) };
    default:
      throw new Error(`its type is ${type}`);
  }
}

function decodeConnack(body: PacketReader, version: MqttVersion): ConnackPacket {
  body.byte();
  const code = body.byte();
  // A broker that supports 3.1.1 only answers without properties, also to version 5.
  const properties = body.left() > 0 ? propertiesOf(body, version) : noProperties;
  const retain = properties.number(property.retainAvailable);
  return {
    type: 'connack',
    code,
    reason: properties.text(property.reason),
    highestQos: properties.number(property.maximumQos),
    retainAvailable: retain === null ? null : retain !== 0,
    longestPacket: properties.number(property.maximumPacketSize),
    receiveMaximum: properties.number(property.receiveMaximum),
    keepAliveSeconds: properties.number(property.serverKeepAlive),
  };
}

function decodePublish(flags: number, body: PacketReader, version: MqttVersion): DeliveredPacket {
  const { topic, packetId } = readPublishStart(flags, body);
  const properties = propertiesOf(body, version);
  if (properties.number(property.topicAlias) !== null) throw new Error('it uses a topic alias, which was not allowed');
  return {
    type: 'publish',
    topic,
    payload: body.rest(),
    qos: packetId === null ? 0 : 1,
    retain: (flags & 0x01) !== 0,
    duplicate: (flags & 0x08) !== 0,
    packetId,
    expiresAfter: properties.number(property.messageExpiry),
    responseTopic: properties.text(property.responseTopic),
    correlation: properties.data(property.correlation),
  };
}

function readPublishStart(flags: number, body: PacketReader): PublishStart {
  const qos = (flags >> 1) & 0x03;
  if (qos > 1) throw new Error(`it has QoS ${qos}, which was not requested`);
  const topic = body.text();
  // An alias refers to an earlier topic; we allow none.
  if (topic === '' || /[#+]/.test(topic)) throw new Error('its topic is not valid');
  return { topic, packetId: qos === 0 ? null : packetIdOf(body) };
}

/** Both are optional on success. */
function reasonOf(body: PacketReader, version: MqttVersion): { code: number; reason: string | null } {
  if (version !== 5 || body.left() === 0) return { code: 0, reason: null };
  const code = body.byte();
  const properties = body.left() > 0 ? readProperties(body) : noProperties;
  return { code, reason: properties.text(property.reason) };
}

const propertiesOf = (body: PacketReader, version: MqttVersion): Properties =>
  version === 5 ? readProperties(body) : noProperties;

function packetIdOf(body: PacketReader): number {
  const packetId = body.short();
  if (packetId === 0) throw new Error('its packet identifier is 0');
  return packetId;
}
