import { expect, test } from 'bun:test';
import { pictureTypeOf } from '../../lib/picture-type.ts';
import { PictureTooLarge } from './png.encode.ts';
import { codeLengths } from './webp.codes.ts';
import { distanceNumbers } from './webp.copies.ts';
import { encodeWebp, encodeWebpPixels } from './webp.encode.ts';

/** What RFC 9649 says, number by number and with how many bits each: the lowest bit first, and zeros up to a whole byte. */
function packed(numbers: [value: number, bits: number][]): number[] {
  const bits = numbers.flatMap(([value, count]) => Array.from({ length: count }, (_, bit) => (value >> bit) & 1));
  return Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) =>
    bits.slice(byte * 8, byte * 8 + 8).reduce((sum, bit, at) => sum + (bit << at), 0),
  );
}

/** The container around it: sizes, and a zero where the length is odd. */
function unpacked(file: Uint8Array): number[] {
  const bytes = Buffer.from(file);
  const length = bytes.readUInt32LE(16);
  const words = [bytes.toString('latin1', 0, 4), bytes.readUInt32LE(4), bytes.toString('latin1', 8, 16)];
  expect(words).toEqual(['RIFF', bytes.length - 8, 'WEBPVP8L']);
  expect([bytes.length, bytes.length % 2]).toEqual([20 + length + (length % 2), 0]);
  return [...bytes.subarray(20, 20 + length)];
}

const noCache: [number, number] = [0, 1];
const oneSetOfCodes: [number, number] = [0, 1];
/** A code of one symbol, which takes no bits afterwards; symbols below 2 are written with one bit. */
const alone = (symbol: number): [number, number][] => [
  [1, 1],
  [0, 1],
  ...((symbol < 2
    ? [
        [0, 1],
        [symbol, 1],
      ]
    : [
        [1, 1],
        [symbol, 8],
      ]) as [number, number][]),
];
const head = (width: number, height: number, alpha: number): [number, number][] => [
  [0x2f, 8],
  [width - 1, 14],
  [height - 1, 14],
  [alpha, 1],
  [0, 3],
];

test('one pixel is a palette of one colour, and nothing after it', () => {
  const file = encodeWebpPixels({ width: 1, height: 1, pixels: Int32Array.of(0xff11_2233) }, 1000);
  const expected = packed([
    ...head(1, 1, 0),
    // A transform follows: a palette, of one colour.
    [1, 1],
    [3, 2],
    [0, 8],
    noCache,
    // Green, red, blue, alpha, and distances, of which there are none.
    ...alone(0x22),
    ...alone(0x11),
    ...alone(0x33),
    ...alone(0xff),
    ...alone(0),
    // No transform follows.
    [0, 1],
    noCache,
    oneSetOfCodes,
    // The number of the colour is in green; alpha is full.
    ...alone(0),
    ...alone(0),
    ...alone(0),
    ...alone(0xff),
    ...alone(0),
  ]);
  expect(unpacked(file)).toEqual(expected);
});

test('a row of two colours is bundled, eight pixels in a byte, and its transparency is told', () => {
  const [first, second] = [0x0000_0000, 0xff00_0002 | 0];
  // Nine pixels: the second byte has one of them.
  const pixels = Int32Array.of(second, first, second, first, first, first, first, second, second);
  const expected = packed([
    ...head(9, 1, 1),
    [1, 1],
    [3, 2],
    [1, 8],
    noCache,
    // Colours in order, the second as what it differs by: 0, and alpha 255 with blue 2.
    ...alone(0),
    ...alone(0),
    // Two symbols, 0 and 2: 0 is written with one bit, and is the bit 0 from here on.
    [1, 1],
    [1, 1],
    [0, 1],
    [0, 1],
    [2, 8],
    [1, 1],
    [1, 1],
    [0, 1],
    [0, 1],
    [255, 8],
    ...alone(0),
    // Blue and alpha of both.
    [0, 1],
    [0, 1],
    [1, 1],
    [1, 1],
    [0, 1],
    noCache,
    oneSetOfCodes,
    // Greens are 0b10000101 and 0b00000001; the smaller one is the bit 0.
    [1, 1],
    [1, 1],
    [0, 1],
    [1, 1],
    [0b1000_0101, 8],
    ...alone(0),
    ...alone(0),
    ...alone(0xff),
    ...alone(0),
    [1, 1],
    [0, 1],
  ]);
  expect(unpacked(encodeWebpPixels({ width: 9, height: 1, pixels }, 1000))).toEqual(expected);
});

test('a plain picture takes next to nothing', () => {
  const pixels = new Int32Array(100 * 100).fill(0xff00_0000);
  pixels[9999] = 0xffff_ffff | 0;
  // Two colours of 100 × 100 pixels are 13 words a row: 1300, of which one is other.
  const file = unpacked(encodeWebpPixels({ width: 100, height: 100, pixels }, 1000));
  expect(file.length).toBeLessThan(50);
});

/** https://www.rfc-editor.org/rfc/rfc9649#section-3.6.2.2: some of its 120 places, by number. */
test.each([
  [1, 0, 1],
  [2, 1, 0],
  [3, 1, 1],
  [4, -1, 1],
  [5, 0, 2],
  [12, -2, 2],
  [35, 0, 5],
  [40, 5, 0],
  [61, 2, 6],
  [77, 5, 5],
  [97, 8, 0],
  [102, 8, 1],
  [120, 8, 7],
])('the short number %d is for %d pixels to the left and %d rows up', (number, x, y) => {
  expect(distanceNumbers(1000)(x + y * 1000)).toBe(number);
});

test('what is not near has a number after the short ones, and in a narrow picture each distance has its first one', () => {
  expect([distanceNumbers(1000)(500), distanceNumbers(1000)(2 ** 20 - 120)]).toEqual([620, 2 ** 20]);
  // The pixel above is the one to the left.
  expect(distanceNumbers(1)(1)).toBe(1);
});

test('codes are as short as they can be within the longest length, and complete', () => {
  expect([...codeLengths(Uint32Array.of(1, 1, 2, 4), 15)]).toEqual([3, 3, 2, 1]);
  expect([...codeLengths(Uint32Array.of(1, 1, 2, 4), 2)]).toEqual([2, 2, 2, 2]);
  expect([...codeLengths(Uint32Array.of(0, 7, 0), 15)]).toEqual([0, 1, 0]);
  expect([...codeLengths(new Uint32Array(3), 15)]).toEqual([0, 0, 0]);
  // Numbers of Fibonacci want the longest code of all: 29 bits for the rarest here.
  const uses = [1, 1];
  while (uses.length < 30) uses.push((uses.at(-1) ?? 0) + (uses.at(-2) ?? 0));
  for (const longest of [7, 15]) {
    const lengths = [...codeLengths(Uint32Array.from(uses), longest)];
    expect(Math.max(...lengths)).toBe(longest);
    expect(lengths.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1);
  }
});

const plain = (width: number, height: number) => ({ width, height, read: () => {} });

test('sides of up to 16,383 pixels are written, and longer ones are refused before there is memory for them', () => {
  for (const [width, height] of [
    [16_383, 1],
    [1, 16_383],
  ] as const)
    expect(pictureTypeOf(Buffer.from(encodeWebp(plain(width, height), 1000)))).toBe('image/webp');
  for (const [width, height] of [
    [16_384, 1],
    [1, 16_384],
  ] as const)
    expect(() => encodeWebp(plain(width, height), 2 ** 20)).toThrow(
      `A picture of ${width} × ${height} pixels does not fit into WebP`,
    );
  expect(() => encodeWebp(plain(16_384, 1), 2 ** 20)).toThrow(PictureTooLarge);
});

test('one that gets too large is given up', () => {
  let state = 1;
  const pixels = Int32Array.from({ length: 90_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return state;
  });
  expect(() => encodeWebpPixels({ width: 300, height: 300, pixels }, 50_000)).toThrow(PictureTooLarge);
});
