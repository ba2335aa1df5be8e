import type { I2cLine } from '../ddc.ts';

export interface FakeMonitor extends I2cLine {
  /** By feature; `max` 0 for choices. */
  features: Map<number, { value: number; max: number }>;
  capabilities: string;
  /** Replaces its answer. */
  spoil: (answer: Uint8Array) => Uint8Array;
  /** Messages it was sent, without framing. */
  received: number[][];
}

/** A fake monitor with DDC/CI, written from the specification and not from our own code. */
export function fakeMonitor(given: Partial<FakeMonitor> = {}): FakeMonitor {
  let answer = frame([]);
  const monitor: FakeMonitor = {
    features: new Map([
      [0x10, { value: 40, max: 80 }],
      [0x12, { value: 70, max: 100 }],
      [0x60, { value: 0x11, max: 0 }],
      [0xd6, { value: 1, max: 5 }],
    ]),
    capabilities:
      '(prot(monitor)type(lcd)model(FAKE)cmds(01 02 03 07 0C E3 F3)vcp(02 10 12 60(0F 11 12 1B) D6(01 04 05)))',
    spoil: (bytes) => bytes,
    received: [],
    write(bytes) {
      const [from, marked = 0, ...rest] = bytes;
      const payload = rest.slice(0, -1);
      const sum = bytes.reduce((all, byte) => all ^ byte, 0x6e);
      if (from !== 0x51 || marked !== (0x80 | payload.length) || sum !== 0)
        throw new Error('the fake monitor received something other than DDC/CI');
      monitor.received.push(payload);
      answer = frame(reply(payload));
    },
    read: (length) => monitor.spoil(answer).slice(0, length),
    ...given,
  };
  const reply = ([order, first = 0, second = 0, third = 0]: number[]): number[] => {
    const feature = monitor.features.get(first);
    if (order === 0x01) {
      if (feature === undefined) return [0x02, 0x01, first, 0, 0, 0, 0, 0];
      const { value, max } = feature;
      return [0x02, 0x00, first, 0, max >> 8, max & 0xff, value >> 8, value & 0xff];
    }
    if (order === 0x03 && feature !== undefined) feature.value = (second << 8) | third;
    if (order !== 0xf3) return [];
    const offset = (first << 8) | second;
    return [0xe3, first, second, ...Buffer.from(monitor.capabilities.slice(offset, offset + 32), 'latin1')];
  };
  return monitor;
}

function frame(payload: number[]): Uint8Array {
  const bytes = [0x6e, 0x80 | payload.length, ...payload];
  return Uint8Array.from([...bytes, bytes.reduce((sum, byte) => sum ^ byte, 0x50)]);
}
