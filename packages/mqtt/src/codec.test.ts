import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { generate, parser, type Packet as WitnessPacket } from 'mqtt-packet';
import { decodePacket } from './decode.ts';
import { encodePacket } from './encode.ts';
import { createPacketSplitter } from './frames.ts';
import type { MqttVersion } from './mqtt.ts';
import type { ConnectPacket, OutgoingPacket } from './packets.ts';

const versions = [4, 5] as const;

/** The packet as an independent codec parses it. */
function read(packet: OutgoingPacket, version: MqttVersion): WitnessPacket | undefined {
  const found: WitnessPacket[] = [];
  const reader = parser({ protocolVersion: version });
  reader.on('packet', (one) => void found.push(one));
  reader.on('error', (error: unknown) => {
    throw error;
  });
  expect(reader.parse(Buffer.from(encodePacket(packet, version)))).toBe(0);
  expect(found.length).toBe(1);
  return found[0];
}

const connect = (version: MqttVersion): ConnectPacket => ({
  type: 'connect',
  version,
  clientId: 'hostler-ä',
  username: 'user',
  password: 'sécret',
  clean: false,
  keepAliveSeconds: 300,
  will: { topic: 'a/b', payload: 'offline', delaySeconds: 10 },
  sessionSeconds: 20,
  longestPacket: 131_072,
  receiveMaximum: 20,
});

const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((value) => !value.includes('\0'));
const topic = text.filter((value) => value !== '' && !/[#+]/.test(value));
const bytes = fc.uint8Array({ maxLength: 300 });
const optional = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });

describe('an independent codec parses our packets', () => {
  test.each(versions)('connect, version %d', (version) => {
    const received = read(connect(version), version);
    expect(received).toMatchObject({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: version,
      clientId: 'hostler-ä',
      username: 'user',
      password: Buffer.from('sécret'),
      clean: false,
      keepalive: 300,
      will: { topic: 'a/b', payload: Buffer.from('offline'), qos: 1, retain: true },
    });
    if (version !== 5) return;
    expect(received).toMatchObject({
      properties: { sessionExpiryInterval: 20, receiveMaximum: 20, maximumPacketSize: 131_072 },
      will: { properties: { willDelayInterval: 10 } },
    });
  });

  test.each(versions)('connect without a name, version %d', (version) => {
    const received = read({ ...connect(version), username: null, clean: true }, version);
    expect(received).toMatchObject({ cmd: 'connect', clean: true });
    expect(received).not.toHaveProperty('username');
    expect(received).not.toHaveProperty('password');
  });

  test.each(versions)('subscribe, acknowledgement, ping and disconnect, version %d', (version) => {
    const asked = version === 5 ? { qos: 1, rap: true, rh: 2, nl: false } : { qos: 1 };
    expect(read({ type: 'subscribe', packetId: 4711, filters: ['a/+', 'b'] }, version)).toMatchObject({
      cmd: 'subscribe',
      messageId: 4711,
      subscriptions: [
        { topic: 'a/+', ...asked },
        { topic: 'b', ...asked },
      ],
    });
    expect(read({ type: 'puback', packetId: 65_535 }, version)).toMatchObject({ cmd: 'puback', messageId: 65_535 });
    expect(read({ type: 'pingreq' }, version)).toMatchObject({ cmd: 'pingreq' });
    expect(read({ type: 'disconnect' }, version)).toMatchObject({ cmd: 'disconnect' });
  });

  test('any message, in both versions', () => {
    const message = fc.record({
      topic,
      payload: fc.oneof(text, bytes),
      retain: fc.boolean(),
      packetId: fc.option(fc.integer({ min: 1, max: 65_535 })),
      expiresAfter: optional(fc.integer({ min: 0, max: 0xffff_ffff })),
      correlation: optional(bytes),
      contentType: optional(text),
    });
    fc.assert(
      fc.property(
        message,
        fc.constantFrom(...versions),
        ({ expiresAfter, correlation, contentType, ...sent }, version) => {
          const received = read(
            {
              type: 'publish',
              ...sent,
              ...(expiresAfter !== undefined && { expiresAfter }),
              ...(correlation !== undefined && { correlation }),
              ...(contentType !== undefined && { contentType }),
            },
            version,
          );
          expect(received).toMatchObject({
            cmd: 'publish',
            topic: sent.topic,
            payload: Buffer.from(sent.payload),
            retain: sent.retain,
            qos: sent.packetId === null ? 0 : 1,
            ...(sent.packetId !== null && { messageId: sent.packetId }),
          });
          const properties = received?.cmd === 'publish' ? (received.properties ?? {}) : {};
          expect(properties.messageExpiryInterval).toBe(version === 5 ? expiresAfter : undefined);
          expect(properties.contentType).toBe(version === 5 ? contentType : undefined);
          expect(properties.correlationData).toEqual(
            version === 5 && correlation !== undefined ? Buffer.from(correlation) : undefined,
          );
        },
      ),
    );
  });

  test.each([
    [3, 2],
    [100, 2],
    [127, 2],
    [128, 3],
    [16_383, 3],
    [16_384, 4],
    [2_097_151, 4],
    [2_097_152, 5],
  ])('a body of %d bytes has a header of %d', (length, header) => {
    const body = { type: 'publish', topic: 't', retain: false, packetId: null } as const;
    const whole = encodePacket({ ...body, payload: new Uint8Array(length - 3) }, 4);
    expect(whole.length).toBe(length + header);
  });

  test('a text that is too long throws', () => {
    const packet = { type: 'publish', topic: 'x'.repeat(65_536), payload: '', retain: false, packetId: null } as const;
    expect(() => encodePacket(packet, 5)).toThrow('more than fit');
  });
});

describe('packets of brokers are parsed', () => {
  const encoded = (packet: WitnessPacket, version: MqttVersion = 5) =>
    decodePacket(generate(packet, { protocolVersion: version }), version);

  test('CONNACK, with its limits', () => {
    const properties = {
      maximumQoS: 1,
      retainAvailable: false,
      maximumPacketSize: 70_000,
      receiveMaximum: 7,
      serverKeepAlive: 30,
      reasonString: 'well',
      assignedClientIdentifier: 'you',
      topicAliasMaximum: 9,
      userProperties: { a: ['b', 'c'] },
    };
    expect(encoded({ cmd: 'connack', reasonCode: 0, sessionPresent: true, properties })).toEqual({
      type: 'connack',
      code: 0,
      reason: 'well',
      highestQos: 1,
      retainAvailable: false,
      longestPacket: 70_000,
      receiveMaximum: 7,
      keepAliveSeconds: 30,
    });
    expect(encoded({ cmd: 'connack', returnCode: 5, sessionPresent: false }, 4)).toMatchObject({
      code: 5,
      reason: null,
    });
    // From a broker that supports 3.1.1 only, in answer to version 5.
    expect(decodePacket(Uint8Array.of(0x20, 2, 0, 1), 5)).toMatchObject({ type: 'connack', code: 1 });
  });

  test('acknowledgements, long and short', () => {
    const properties = { reasonString: 'no' };
    expect(encoded({ cmd: 'puback', messageId: 258, reasonCode: 0x87, properties })).toEqual({
      type: 'puback',
      packetId: 258,
      code: 0x87,
      reason: 'no',
    });
    for (const version of versions)
      expect(decodePacket(Uint8Array.of(0x40, 2, 1, 2), version)).toMatchObject({ packetId: 258, code: 0 });
    expect(decodePacket(Uint8Array.of(0x40, 3, 1, 2, 0x10), 5)).toMatchObject({ packetId: 258, code: 0x10 });
    expect(encoded({ cmd: 'suback', messageId: 1, granted: [1, 0x87], properties })).toMatchObject({
      codes: [1, 0x87],
      reason: 'no',
    });
    expect(encoded({ cmd: 'suback', messageId: 1, granted: [0x80] }, 4)).toMatchObject({ codes: [0x80] });
  });

  test('DISCONNECT, with and without a reason, and a ping', () => {
    expect(decodePacket(Uint8Array.of(0xe0, 0), 5)).toEqual({ type: 'disconnect', code: 0, reason: null });
    expect(encoded({ cmd: 'disconnect', reasonCode: 0x8e, properties: { reasonString: 'twice' } })).toMatchObject({
      code: 0x8e,
      reason: 'twice',
    });
    expect(() => decodePacket(Uint8Array.of(0xe0, 0), 4)).toThrow('3.1.1');
    expect(decodePacket(Uint8Array.of(0xd0, 0), 4)).toEqual({ type: 'pingresp' });
  });

  test('any message', () => {
    const message = fc.record({
      topic,
      payload: bytes,
      retain: fc.boolean(),
      qos: fc.constantFrom(0 as const, 1 as const),
      messageId: fc.integer({ min: 1, max: 65_535 }),
      expiry: optional(fc.integer({ min: 0, max: 0xffff_ffff })),
      responseTopic: optional(topic),
      correlation: optional(bytes),
    });
    fc.assert(
      fc.property(message, fc.constantFrom(...versions), ({ expiry, responseTopic, correlation, ...sent }, version) => {
        const properties = {
          ...(expiry !== undefined && { messageExpiryInterval: expiry }),
          ...(responseTopic !== undefined && { responseTopic }),
          ...(correlation !== undefined && { correlationData: Buffer.from(correlation) }),
          userProperties: { a: 'b' },
          subscriptionIdentifier: 300,
        };
        const payload = Buffer.from(sent.payload);
        const packet = encoded({ cmd: 'publish', dup: sent.qos === 1, ...sent, payload, properties }, version);
        expect(packet).toEqual({
          type: 'publish',
          topic: sent.topic,
          payload: expect.anything(),
          qos: sent.qos,
          retain: sent.retain,
          duplicate: sent.qos === 1,
          packetId: sent.qos === 0 ? null : sent.messageId,
          expiresAfter: version === 5 ? (expiry ?? null) : null,
          responseTopic: version === 5 ? (responseTopic ?? null) : null,
          correlation: version === 5 && correlation !== undefined ? expect.anything() : null,
        });
        if (packet.type !== 'publish') return;
        expect([...packet.payload]).toEqual([...sent.payload]);
        if (version === 5 && correlation !== undefined)
          expect([...(packet.correlation ?? [])]).toEqual([...correlation]);
      }),
    );
  });

  test.each([
    ['nothing', [], 'too short'],
    ['an undefined type', [0x00, 0], 'type'],
    ['a packet of clients', [0x10, 0], 'type'],
    ['flags that mean nothing', [0x41, 2, 0, 1], 'flags'],
    ['an invalid packet identifier', [0x40, 2, 0, 0], 'packet identifier'],
    ['an acknowledgement without a reason code', [0x90, 3, 0, 1, 0], 'no reason code'],
    ['bytes beyond its length', [0xd0, 0, 0], 'excess bytes'],
    ['bytes beyond the fields of its type', [0xd0, 1, 0], 'excess bytes'],
    ['less than its length', [0x40, 9, 0, 1], 'too short'],
    ['a length of five bytes', [0x40, 0x80, 0x80, 0x80, 0x80, 1], 'four bytes'],
    ['a topic that is no UTF-8', [0x30, 4, 0, 1, 0xff, 0], 'UTF-8'],
    ['a topic with a zero', [0x30, 4, 0, 1, 0, 0], 'UTF-8'],
    ['no topic', [0x30, 3, 0, 0, 0], 'topic'],
    ['a pattern as topic', [0x30, 4, 0, 1, 0x23, 0], 'topic'],
    ['a topic alias', [0x30, 7, 0, 1, 0x61, 3, 35, 0, 1], 'alias'],
    ['an unknown property', [0x30, 6, 0, 1, 0x61, 2, 99, 0], 'property 99 is unknown'],
    ['a property twice', [0x20, 7, 0, 0, 4, 36, 1, 36, 1], 'twice'],
    ['properties longer than the packet', [0x20, 3, 0, 0, 9], 'too short'],
    ['QoS 2', [0x34, 4, 0, 1, 0x61, 0], 'QoS 2'],
    ['QoS 3', [0x36, 4, 0, 1, 0x61, 0], 'QoS 3'],
  ])('%s is refused', (_what, packet, why) => {
    expect(() => decodePacket(Uint8Array.from(packet), 5)).toThrow(why);
  });

  test('arbitrary bytes are parsed or refused, and never read past their end', () => {
    const some: WitnessPacket[] = [
      { cmd: 'connack', reasonCode: 0, sessionPresent: false, properties: { reasonString: 'r', maximumQoS: 1 } },
      { cmd: 'publish', topic: 'a/b', payload: 'p', qos: 1, dup: false, retain: false, messageId: 7 },
      { cmd: 'publish', topic: 'a', payload: '', qos: 0, dup: false, retain: true, properties: { responseTopic: 'x' } },
      { cmd: 'suback', messageId: 3, granted: [1, 1] },
      { cmd: 'disconnect', reasonCode: 0x8b, properties: { reasonString: 'away' } },
    ];
    const spoilt = fc
      .tuple(fc.constantFrom(...some), fc.nat(200), fc.nat(255), fc.nat(3))
      .map(([packet, at, byte, way]) => {
        const whole = [...generate(packet, { protocolVersion: 5 })];
        const place = at % whole.length;
        if (way === 0) whole[place] = byte;
        else if (way === 1) whole.splice(place, 1);
        else if (way === 2) whole.splice(place, 0, byte);
        else whole.length = place;
        return Uint8Array.from(whole);
      });
    const junk = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(spoilt, junk), fc.constantFrom(...versions), (given, version) => {
        // Surrounded by what is not part of it.
        const around = new Uint8Array(given.length + 20).fill(0x61);
        around.set(given, 10);
        const inside = around.subarray(10, 10 + given.length);
        try {
          const packet = decodePacket(inside, version);
          expect(packet.type === 'publish' ? packet.payload.byteOffset + packet.payload.length : 0).toBeLessThanOrEqual(
            10 + given.length,
          );
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(String(error)).toContain('The broker sent a packet that cannot be read');
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('a stream gives the same packets in whatever pieces it arrives', () => {
    const packets = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
    fc.assert(
      fc.property(packets, fc.array(fc.integer({ min: 1, max: 200 })), (payloads, sizes) => {
        const sent = payloads.map((payload) =>
          encodePacket({ type: 'publish', topic: 't', payload, retain: false, packetId: null }, 5),
        );
        const stream = Buffer.concat(sent);
        const found: string[] = [];
        const splitter = createPacketSplitter(1000);
        for (let at = 0, round = 0; at < stream.length; round++) {
          const size = sizes[round] ?? 1000;
          splitter.add(stream.subarray(at, at + size));
          for (let packet = splitter.next(); packet !== null; packet = splitter.next())
            found.push(Buffer.from(packet).toString('hex'));
          at += size;
        }
        expect(found).toEqual(sent.map((packet) => Buffer.from(packet).toString('hex')));
      }),
    );
  });
});
