import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createFrameReader, encodeFrame, type Frame, largestFrame } from './frames.ts';

const frames = fc.array(fc.record({ opcode: fc.integer({ min: 0, max: 4 }), text: fc.string({ unit: 'grapheme' }) }), {
  maxLength: 5,
});

function readAll(pieces: Uint8Array[]): Frame[] {
  const read = createFrameReader();
  const taken: Frame[] = [];
  for (const piece of pieces) read(piece, (frame) => taken.push(frame));
  return taken;
}

const bytesOf = (sent: Frame[]) => Buffer.concat(sent.map(({ opcode, text }) => encodeFrame(opcode, text)));

/** The bytes in pieces that end at these places. */
function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

test('frames are the same, however their bytes are split and joined', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(), { maxLength: 20 }), (sent, places) => {
      expect(readAll(cut(bytesOf(sent), places))).toEqual(sent);
    }),
  );
});

test('a frame is passed on with its last byte, and not before', () => {
  const sent = [
    { opcode: 1, text: '{"cmd":"DISPATCH"}' },
    { opcode: 3, text: '' },
    { opcode: 1, text: '{"ä":"😀"}' },
  ];
  const bytes = bytesOf(sent);
  const ends = sent.map((_, index) => bytesOf(sent.slice(0, index + 1)).length);
  for (let length = 0; length <= bytes.length; length += 1) {
    expect(readAll([bytes.subarray(0, length)])).toEqual(sent.slice(0, ends.filter((end) => end <= length).length));
  }
});

test('a frame of 16 MiB is taken, one byte more is refused with its header', () => {
  const header = (length: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32LE(1, 0);
    bytes.writeUInt32LE(length, 4);
    return bytes;
  };
  const [frame] = readAll([header(largestFrame), Buffer.alloc(largestFrame, 0x20)]);
  expect(frame?.text.length).toBe(largestFrame);
  expect(() => readAll([header(largestFrame + 1)])).toThrow('it sent a frame of 16777217 bytes');
});

test('invalid frames are refused', () => {
  expect(() => readAll([Buffer.from('HTTP/1.1 400 Bad Request')])).toThrow('unknown kind');
});
