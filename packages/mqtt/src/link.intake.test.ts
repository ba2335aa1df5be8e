import { describe, expect, test } from 'bun:test';
import { createIntake, flood, turnMs } from './link.intake.ts';
import { MqttFlood } from './mqtt.ts';

const ping = [0xd0, 0x00];
const pings = (count: number) => Uint8Array.from(Array(count).fill(ping).flat());
/** QoS 0 with a payload that makes it `size` bytes long. */
const message = (size: number) => {
  const bytes = new Uint8Array(size);
  const rest = size - 4;
  bytes.set([0x30, (rest & 0x7f) | 0x80, ((rest >> 7) & 0x7f) | 0x80, rest >> 14]);
  return bytes;
};

/** Each packet takes `packetMs` of the clock. */
function setUp(packetMs = 0) {
  let now = 0;
  const turns: (() => void)[] = [];
  const handled: number[] = [];
  const stream: string[] = [];
  const failures: unknown[] = [];
  const intake = createIntake({
    clock: {
      monotonic: () => now,
      after(_ms, callback) {
        turns.push(callback);
        return () => {};
      },
    },
    longestPacket: 131_072,
    packet(bytes) {
      now += packetMs;
      handled.push(bytes.length);
    },
    pause: () => void stream.push('pause'),
    resume: () => void stream.push('resume'),
    failed: (error) => void failures.push(error),
  });
  return {
    intake,
    turns,
    handled,
    stream,
    failures,
    pass: (ms: number) => {
      now += ms;
    },
    turn: () => turns.shift()?.(),
  };
}

describe('the time that one turn of the event loop may take', () => {
  test('limits the packets it handles; the stream is paused until all are handled', () => {
    const { intake, handled, stream, turn, turns } = setUp(1);
    intake.add(pings(3 * turnMs + 1));
    for (let round = 1; round <= 3; round++) {
      expect([handled.length, stream.includes('resume')]).toEqual([round * turnMs, false]);
      turn();
    }
    expect([handled.length, stream.at(-1)]).toEqual([3 * turnMs + 1, 'resume']);
    turn();
    // An idle connection schedules nothing.
    expect(turns).toEqual([]);
  });

  test('is shared by all reads of the turn', () => {
    const { intake, handled, stream, turn } = setUp(1);
    for (let read = 0; read < 5 * turnMs; read++) intake.add(pings(1));
    expect([handled.length, stream]).toEqual([turnMs, ['pause']]);
    turn();
    expect(handled.length).toBe(2 * turnMs);
  });

  test('does not limit what is quick, nor cut packets', () => {
    const { intake, handled, stream } = setUp();
    const bytes = message(50_000);
    for (let at = 0; at < bytes.length; at += 7) intake.add(bytes.subarray(at, at + 7));
    intake.add(pings(100));
    expect([handled.length, handled[0], stream]).toEqual([101, 50_000, []]);
  });

  test('nothing is handled after the end', () => {
    const { intake, handled, turn } = setUp(1);
    intake.add(pings(100));
    intake.stop();
    turn();
    intake.add(pings(1));
    expect(handled.length).toBe(turnMs);
  });
});

describe('a flood of the broker', () => {
  test('of unsolicited packets ends after the limit, at once or in a later turn', () => {
    const quick = setUp();
    expect(() => quick.intake.add(pings(flood.packets))).toThrow(MqttFlood);
    expect(quick.handled.length).toBe(flood.packets - 1);
    const slow = setUp(turnMs / 100);
    slow.intake.add(pings(flood.packets));
    while (slow.turns.length > 0) slow.turn();
    expect(slow.failures).toEqual([expect.any(MqttFlood)]);
    expect(slow.handled.length).toBe(flood.packets - 1);
  });

  test('of bytes ends after the limit, also where the stream does not pause', () => {
    const quick = setUp();
    const most = Math.floor(flood.bytes / 131_072);
    for (let n = 0; n < most; n++) quick.intake.add(message(131_072));
    expect(() => quick.intake.add(message(131_072))).toThrow(MqttFlood);
    const slow = setUp(turnMs);
    for (let n = 0; n < most; n++) slow.intake.add(message(131_072));
    expect(slow.handled.length).toBe(1);
    expect(() => slow.intake.add(message(131_072))).toThrow(MqttFlood);
  });

  test('of reads without a packet ends after the limit', () => {
    const { intake } = setUp();
    for (let n = 0; n < flood.packets; n++) intake.add(new Uint8Array(0));
    expect(() => intake.add(new Uint8Array(0))).toThrow(MqttFlood);
  });

  test('is counted in windows: a busy broker may go on', () => {
    const { intake, handled, pass, turn } = setUp();
    for (let window = 1; window <= 5; window++) {
      intake.add(pings(flood.packets - 1));
      expect(handled.length).toBe(window * (flood.packets - 1));
      pass(flood.withinMs);
      turn();
    }
  });
});
