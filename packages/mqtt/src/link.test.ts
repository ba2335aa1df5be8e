import { describe, expect, test } from 'bun:test';
import type { ByteStreamEvents } from '@hostler/io/byte-stream.ts';
import { fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { generate, parser, type Packet as WitnessPacket } from 'mqtt-packet';
import { startClient } from './client.ts';
import { openLink } from './link.ts';
import {
  type MqttDelivery,
  MqttFlood,
  type MqttLinkEvents,
  type MqttLinkOptions,
  MqttRefusal,
  type MqttVersion,
} from './mqtt.ts';

const options: MqttLinkOptions = {
  version: 5,
  clientId: 'me',
  username: 'user',
  password: 'secret',
  clean: true,
  keepAliveSeconds: 60,
  will: { topic: 'gone', payload: 'offline', delaySeconds: 10 },
  longestPacket: 1000,
  patienceMs: 20_000,
};

const accepted: WitnessPacket = { cmd: 'connack', reasonCode: 0, returnCode: 0, sessionPresent: false };

/** QoS 1 on the topic t, with the number 1 and nothing else. */
const emptyMessage = [0x32, 0x06, 0x00, 0x01, 0x74, 0x00, 0x01, 0x00];

/** A broker in memory that uses an independent codec. */
function standIn(version: MqttVersion = 5, greeting: WitnessPacket | null = accepted, waiting = () => 0) {
  const clock = fakeClock();
  const received: WitnessPacket[] = [];
  const messages: MqttDelivery[] = [];
  const closings: string[] = [];
  const pauses: string[] = [];
  let accepts = (_topic: string) => true;
  let events: ByteStreamEvents | null = null;
  const reader = parser({ protocolVersion: version });
  reader.on('packet', (packet) => {
    received.push(packet);
    if (packet.cmd === 'connect' && greeting !== null) emit(greeting);
  });
  const emit = (packet: WitnessPacket) => events?.data(generate(packet, { protocolVersion: version }));
  const opened = openLink(
    {
      clock,
      async open(given) {
        events = given;
        return {
          send: (bytes) => void reader.parse(Buffer.from(bytes)),
          waiting,
          pause: () => void pauses.push('pause'),
          resume: () => void pauses.push('resume'),
          close: () => {},
        };
      },
    },
    { ...options, version },
    {
      accepts: (topic) => accepts(topic),
      message: (delivery) => void messages.push(delivery),
      closed: ({ message }) => void closings.push(message),
    },
  );
  return {
    clock,
    received,
    messages,
    closings,
    pauses,
    accept(next: (topic: string) => boolean) {
      accepts = next;
    },
    opened,
    emit,
    raw: (bytes: number[]) => events?.data(new Uint8Array(bytes)),
    events: () => events,
  };
}

describe('one connection to a broker', () => {
  test('sends its identity, its will and its limits', async () => {
    const { opened, received } = standIn();
    await opened;
    expect(received[0]).toMatchObject({
      cmd: 'connect',
      clientId: 'me',
      username: 'user',
      will: { topic: 'gone', retain: true, qos: 1, properties: { willDelayInterval: 10 } },
      properties: { sessionExpiryInterval: 20, maximumPacketSize: 1000 },
    });
  });

  test('a stream that fails to open and reports its end as well costs one rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const opened = openLink(
      {
        clock: fakeClock(),
        async open(events) {
          events.closed(null);
          throw new Error('it did not answer within 20 s');
        },
      },
      options,
      { accepts: () => true, message() {}, closed() {} },
    );
    await expect(opened).rejects.toThrow('it did not answer within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('acknowledges before the callback runs, and passes on the properties of the message', async () => {
    const { opened, received, messages, emit } = standIn();
    await opened;
    const properties = { messageExpiryInterval: 3, responseTopic: 'answers', correlationData: Buffer.from('x') };
    emit({ cmd: 'publish', topic: 't', payload: 'p', qos: 1, dup: true, retain: true, messageId: 9, properties });
    expect(received.at(-1)).toMatchObject({ cmd: 'puback', messageId: 9 });
    expect(messages[0]).toMatchObject({
      topic: 't',
      retain: true,
      duplicate: true,
      packetId: 9,
      expiresAfter: 3,
      responseTopic: 'answers',
    });
  });

  test('disconnects from a broker that does not read its acknowledgements, and only from that', async () => {
    let waiting = 0;
    const { opened, received, closings, raw, clock } = standIn(5, accepted, () => waiting);
    await opened;
    const burst = () => {
      raw(Array(15_000).fill(emptyMessage).flat());
      clock.advance(10_000);
    };
    burst();
    expect(closings).toEqual([]);
    waiting = 4;
    burst();
    burst();
    expect(closings).toEqual([expect.stringContaining('does not read')]);
    expect(received.filter(({ cmd }) => cmd === 'puback').length).toBe(35_000);
  });

  test('a message that is not accepted is acknowledged, and neither decoded nor delivered', async () => {
    const { opened, received, closings, messages, raw, accept } = standIn();
    await opened;
    const topics: string[] = [];
    accept((topic) => {
      topics.push(topic);
      return topic !== 't';
    });
    // Its properties are longer than the packet.
    const [first = 0, length = 0, ...rest] = emptyMessage;
    raw([first, length, ...rest.slice(0, -1), 0x7f]);
    expect([topics, messages, closings]).toEqual([['t'], [], []]);
    expect(received.at(-1)).toMatchObject({ cmd: 'puback', messageId: 1 });
    accept(() => true);
    raw([first, length, ...rest.slice(0, -1), 0x7f]);
    expect(closings).toEqual([expect.stringContaining('cannot be read')]);
  });

  test('slow messages are handled over several turns, and the stream is paused meanwhile', async () => {
    const { opened, messages, pauses, raw, accept, clock } = standIn();
    await opened;
    clock.advance(0);
    const passed = clock.monotonic;
    let spent = 0;
    clock.monotonic = () => passed() + spent;
    accept(() => {
      spent += 1;
      return true;
    });
    raw(Array(50).fill(emptyMessage).flat());
    expect([messages.length, pauses]).toEqual([4, ['pause']]);
    clock.advanceToNext();
    expect(messages.length).toBe(8);
    while (pauses.at(-1) === 'pause') clock.advanceToNext();
    expect([messages.length, pauses.at(-1)]).toEqual([50, 'resume']);
  });

  test('pings that were not requested end it above the limit, also in later turns', async () => {
    const { opened, closings, raw, clock } = standIn();
    await opened;
    raw(Array(20_000).fill([0xd0, 0x00]).flat());
    expect(closings).toEqual(['The broker sends more packets than are accepted']);
    clock.advance(60_000);
    expect(closings.length).toBe(1);
  });

  test('QoS 1 resolves on acknowledgement and rejects on refusal', async () => {
    const { opened, received, emit } = standIn();
    const link = await opened;
    const message = { topic: 't', payload: 'p', qos: 1, retain: true } as const;
    const first = link.publish(message);
    const second = link.publish(message);
    const ids = received.flatMap((packet) => (packet.cmd === 'publish' ? [packet.messageId ?? 0] : []));
    emit({ cmd: 'puback', messageId: ids[1] ?? 0, reasonCode: 0x87 });
    emit({ cmd: 'puback', messageId: ids[0] ?? 0, reasonCode: 0 });
    await first;
    expect(second).rejects.toThrow('not allowed');
  });

  test('packets above the limits of the broker are not sent', async () => {
    const limits = { maximumPacketSize: 100, maximumQoS: 0, retainAvailable: false };
    const { opened, received } = standIn(5, { ...accepted, properties: limits } as WitnessPacket);
    const link = await opened;
    await link.publish({ topic: 't', payload: 'p', qos: 1, retain: true });
    expect(received.at(-1)).toMatchObject({ cmd: 'publish', qos: 0, retain: false });
    expect(link.publish({ topic: 't', payload: 'p'.repeat(200), qos: 0, retain: false })).rejects.toThrow(
      'exceeds the 100 bytes',
    );
  });

  test.each([
    ['a packet that is too long', [0x30, 0xff, 0xff, 0x7f], 'at most 1000'],
    ['a length that never ends', [0x30, 0xff, 0xff, 0xff, 0xff], 'not MQTT'],
    ['an undefined type', [0x00, 0x00], 'cannot be read'],
    ['a message that is cut', [0x32, 0x02, 0x00, 0x09], 'cannot be read'],
    ['QoS 2', [0x34, 0x06, 0x00, 0x01, 0x61, 0x00, 0x01, 0x00], 'QoS 2'],
    ['a packet that only clients send', [0x10, 0x00], 'broker'],
  ])('%s ends it', async (_what, bytes, why) => {
    const { opened, closings, raw } = standIn();
    await opened;
    raw(bytes);
    expect(closings).toEqual([expect.stringContaining(why)]);
  });

  test('junk ends it or is ignored: nothing is thrown, and no partial message is delivered', async () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed;
    };
    for (let round = 0; round < 300; round++) {
      const { opened, closings, raw } = standIn();
      await opened;
      raw(Array.from({ length: 1 + (random() % 60) }, () => (random() >> 8) & 0xff));
      expect(closings.length).toBeLessThanOrEqual(1);
    }
  });

  test('a broker that does not answer a ping is disconnected', async () => {
    const { opened, clock, closings, received, emit } = standIn();
    await opened;
    clock.advance(30_000);
    expect(received.at(-1)).toMatchObject({ cmd: 'pingreq' });
    emit({ cmd: 'pingresp' });
    clock.advance(30_000 + 19_000);
    expect(closings).toEqual([]);
    clock.advance(1000);
    expect(closings).toEqual([expect.stringContaining('ping')]);
  });

  test('a secret that the broker repeats in a reason is hidden', async () => {
    const reason = { reasonString: 'no account user with secret' };
    const refusing = standIn(5, { ...accepted, reasonCode: 0x80, properties: reason });
    const refused = await refusing.opened.catch((error) => error);
    expect(refused.message).toContain('("no account … with …")');
    const { opened, emit, closings } = standIn();
    await opened;
    emit({ cmd: 'disconnect', reasonCode: 0x98, properties: reason });
    expect(closings).toEqual([expect.stringContaining('("no account … with …")')]);
  });

  test('a broker that closes instead of answering is silent, one that refuses gives the reason', async () => {
    const silent = standIn(5, null);
    await Promise.resolve();
    silent.events()?.closed(null);
    expect(await silent.opened.catch((error) => error)).toMatchObject({ kind: 'silent' });
    const refusing = standIn(4, { cmd: 'connack', returnCode: 5, sessionPresent: false });
    expect(await refusing.opened.catch((error) => error)).toMatchObject({ kind: 'credentials' });
  });
});

describe('reconnecting to a broker', () => {
  function setUp(answer: (version: MqttVersion, attempt: number) => Error | null) {
    const clock = fakeClock();
    const attempts: { version: MqttVersion; clean: boolean; at: number }[] = [];
    const pauses: number[] = [];
    let events: MqttLinkEvents | null = null;
    const client = startClient(
      {
        clock,
        random: () => 0.5,
        async open({ version, clean }, given) {
          attempts.push({ version, clean, at: clock.monotonic() });
          const error = answer(version, attempts.length);
          if (error !== null) throw error;
          events = given;
          return { version, publish: async () => {}, subscribe: async () => {}, waiting: () => 0, close: () => {} };
        },
      },
      {
        connected: () => {},
        accepts: () => true,
        message: () => {},
        lost: (_sentence, pause) => void pauses.push(pause),
      },
    );
    const settle = async () => {
      for (let round = 0; round < 20; round++) await Promise.resolve();
    };
    return { clock, attempts, pauses, client, settle, lose: (error = new Error('lost')) => events?.closed(error) };
  }

  test('the pause grows to two minutes, and is never more', async () => {
    const { clock, pauses, settle } = setUp(() => new Error('unreachable'));
    for (let round = 0; round < 10; round++) {
      await settle();
      clock.advanceToNext();
    }
    expect(pauses[0]).toBe(2500);
    expect(pauses.every((pause, at) => at === 0 || pause >= (pauses[at - 1] ?? 0))).toBe(true);
    expect(Math.max(...pauses)).toBe(60_500);
  });

  test('the pause grows with each flood, even if the flood begins late; other losses reset it', async () => {
    const { clock, pauses, settle, lose } = setUp(() => null);
    for (const error of [new MqttFlood(), new MqttFlood(), new MqttFlood(), new Error('lost')]) {
      await settle();
      clock.advance(60_000);
      lose(error);
      clock.advanceToNext();
    }
    expect(pauses).toEqual([2500, 4500, 8500, 2500]);
  });

  test('a silent broker is tried with version 5 again; a broker that refuses it is tried with 3.1.1 at once', async () => {
    const away = setUp(() => new Error('unreachable'));
    await away.settle();
    away.clock.advanceToNext();
    await away.settle();
    expect(away.attempts.map(({ version }) => version)).toEqual([5, 5]);
    const old = setUp((version) => (version === 5 ? new MqttRefusal('version', 'no') : null));
    await old.settle();
    old.clock.advanceToNext();
    await old.settle();
    old.lose();
    old.clock.advanceToNext();
    await old.settle();
    expect(old.attempts.map(({ version }) => version)).toEqual([5, 4, 4]);
    expect(old.pauses[0]).toBe(0);
  });

  test('a broker that is silent at version 5 is tried with 3.1.1, and with 5 again after a loss', async () => {
    const { clock, attempts, settle, lose } = setUp((version, attempt) =>
      version === 5 && attempt === 1 ? new MqttRefusal('silent', 'no') : null,
    );
    await settle();
    clock.advanceToNext();
    await settle();
    lose();
    clock.advanceToNext();
    await settle();
    expect(attempts.map(({ version }) => version)).toEqual([5, 4, 5]);
  });

  test('a lost connection resumes its session, a restarted one does not', async () => {
    const { clock, attempts, settle, lose, client } = setUp(() => null);
    await settle();
    lose();
    clock.advanceToNext();
    await settle();
    client.restart();
    await settle();
    expect(attempts.map(({ clean }) => clean)).toEqual([true, false, true]);
    client.close();
    expect(client.link()).toBeNull();
  });
});
