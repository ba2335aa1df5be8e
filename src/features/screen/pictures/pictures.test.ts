import { describe, expect, test } from 'bun:test';
import { inflateSync } from 'node:zlib';
import { startThread } from '../../../app/threads/start-thread.ts';
import { pictureTypeOf } from '../../../lib/picture-type.ts';
import { encodeOrder } from './picture.thread.ts';
import { boxScaled, type PictureRows, rowsOf } from './picture-rows.ts';
import { createEncodePicture, type PixelFormat, refuseOversized } from './pictures.ts';
import { decodePng } from './png.decode.ts';
import { encodePng, PictureTooLarge } from './png.encode.ts';

const xrgb: PixelFormat = { bytes: 4, bits: 8, red: 16, green: 8, blue: 0 };

/** All pixels as triples. */
function pixelsOf({ width, height, read }: PictureRows): number[][][] {
  return Array.from({ length: height }, (_, y) => {
    const row = new Uint8Array(width * 3);
    read(y, row);
    return Array.from({ length: width }, (_, x) => [...row.subarray(x * 3, x * 3 + 3)]);
  });
}

const rowsFrom = (pixels: number[][][]): PictureRows => ({
  width: pixels[0]?.length ?? 0,
  height: pixels.length,
  read: (y, row) => row.set((pixels[y] ?? []).flat()),
});

/** A picture of 3 × 2 pixels whose red is the number of the pixel, 1 to 6. */
const raw = { width: 3, height: 2, stride: 16, format: xrgb, upsideDown: false };
const memory = Uint8Array.from({ length: 32 }, (_, at) => {
  const [row, place] = [Math.floor(at / 16), at % 16];
  return place < 12 && place % 4 === 2 ? 1 + row * 3 + Math.floor(place / 4) : 0;
});
const reds = (transform: number, upsideDown = false) =>
  pixelsOf(rowsOf({ ...raw, transform, upsideDown }, memory)).map((row) => row.map(([red]) => red));

describe('a raw picture', () => {
  test.each([
    [
      0,
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    [
      1,
      [
        [4, 1],
        [5, 2],
        [6, 3],
      ],
    ],
    [
      2,
      [
        [6, 5, 4],
        [3, 2, 1],
      ],
    ],
    [
      3,
      [
        [3, 6],
        [2, 5],
        [1, 4],
      ],
    ],
    [
      4,
      [
        [3, 2, 1],
        [6, 5, 4],
      ],
    ],
    [
      5,
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
    ],
    [
      6,
      [
        [4, 5, 6],
        [1, 2, 3],
      ],
    ],
    [
      7,
      [
        [6, 3],
        [5, 2],
        [4, 1],
      ],
    ],
  ])('with the transform %d becomes upright', (transform, expected) => {
    expect(reds(transform)).toEqual(expected);
  });

  test('whose lowest row comes first becomes upright', () => {
    expect(reds(0, true)).toEqual([
      [4, 5, 6],
      [1, 2, 3],
    ]);
  });

  test('is read in every colour order, and with ten bits per colour', () => {
    const one = { width: 1, height: 1, stride: 4, transform: 0, upsideDown: false };
    const read = (format: PixelFormat, bytes: number[]) =>
      pixelsOf(rowsOf({ ...one, format }, Uint8Array.from(bytes)))[0]?.[0];
    expect(read(xrgb, [3, 2, 1, 255])).toEqual([1, 2, 3]);
    expect(read({ ...xrgb, red: 0, blue: 16 }, [1, 2, 3, 0])).toEqual([1, 2, 3]);
    expect(read({ bytes: 3, bits: 8, red: 16, green: 8, blue: 0 }, [3, 2, 1, 0])).toEqual([1, 2, 3]);
    const word = ((4 << 20) | (8 << 10) | 1020) >>> 0;
    const bytes = [word & 255, (word >> 8) & 255, (word >> 16) & 255, word >>> 24];
    expect(read({ bytes: 4, bits: 10, red: 20, green: 10, blue: 0 }, bytes)).toEqual([1, 2, 255]);
  });

  test('with an unknown transform is refused', () => {
    expect(() => rowsOf({ ...raw, transform: 8 }, memory)).toThrow('unknown transform');
  });
});

describe('scaling down', () => {
  test('computes the mean of the covered pixels', () => {
    const grey = (value: number) => [value, value, value];
    const picture = rowsFrom([
      [grey(0), grey(100), grey(200), grey(200)],
      [grey(0), grey(100), grey(0), grey(0)],
    ]);
    expect(pixelsOf(boxScaled(picture, 2))).toEqual([[grey(50), grey(100)]]);
  });

  test('weights partly covered pixels', () => {
    const picture = rowsFrom([
      [
        [30, 0, 255],
        [60, 0, 255],
        [90, 0, 255],
      ],
    ]);
    // Each pixel covers one and a half.
    expect(pixelsOf(boxScaled(picture, 2))).toEqual([
      [
        [40, 0, 255],
        [80, 0, 255],
      ],
    ]);
  });

  test('leaves at least one row', () => {
    const picture = rowsFrom([Array.from({ length: 1000 }, () => [7, 7, 7])]);
    expect(pixelsOf(boxScaled(picture, 16))).toEqual([Array.from({ length: 16 }, () => [7, 7, 7])]);
  });
});

/** Deterministic noise. */
const noise = (width: number, height: number) => {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state >> 16;
  };
  return Array.from({ length: height }, () =>
    Array.from({ length: width }, () => [next(), next(), next()].map((value) => value & 255)),
  );
};

describe('PNG', () => {
  test('a written PNG is decoded to the same pixels', async () => {
    for (const pixels of [noise(37, 23), Array.from({ length: 9 }, () => Array.from({ length: 5 }, () => [1, 2, 3]))]) {
      const png = await encodePng(rowsFrom(pixels), 2 ** 20);
      expect(pictureTypeOf(png)).toBe('image/png');
      expect(pixelsOf(await decodePng(png))).toEqual(pixels);
    }
  });

  test('its rows follow the specification, checked without the own decoder', async () => {
    const png = Buffer.from(
      await encodePng(
        rowsFrom([
          [
            [1, 2, 3],
            [4, 6, 8],
          ],
          [
            [1, 2, 3],
            [4, 6, 8],
          ],
        ]),
        1000,
      ),
    );
    const length = png.readUInt32BE(33);
    expect([...inflateSync(png.subarray(41, 41 + length))]).toEqual([1, 1, 2, 3, 3, 4, 5, 2, 0, 0, 0, 0, 0, 0]);
  });

  test('a PNG beyond the limit is refused', async () => {
    await expect(encodePng(rowsFrom(noise(300, 300)), 50_000)).rejects.toBeInstanceOf(PictureTooLarge);
    const picture = { ...raw, descriptor: -1, transform: 0 };
    expect(await encodeOrder({ picture, options: { format: 'png', maxWidth: null, mostBytes: 1 } })).toMatchObject({
      tooLarge: false,
    });
  });

  test('invalid, unsupported and truncated PNGs are refused with an explanation', async () => {
    await expect(decodePng(Buffer.from('GIF89a'))).rejects.toThrow('not a PNG');
    const png = Buffer.from(await encodePng(rowsFrom(noise(4, 4)), 1000));
    const changed = (at: number, value: number) => {
      const copy = Buffer.from(png);
      copy.writeUInt32BE(value, at);
      return copy;
    };
    await expect(decodePng(changed(20, 5))).rejects.toThrow('ends too early');
    await expect(decodePng(changed(16, 1_000_000))).rejects.toThrow('is too large');
    await expect(decodePng(png.subarray(0, 20))).rejects.toThrow('no header');
  });
});

test.each([
  [0, 10],
  [10, -1],
  [65_536, 1],
  [7681, 4688],
  [1.5, 2],
])('a picture of %d × %d is refused before memory is allocated', (width, height) => {
  expect(() => refuseOversized(width, height)).toThrow('is too large');
});

test('8K is accepted', () => {
  expect(() => refuseOversized(7680, 4320)).not.toThrow();
});

test('the thread reads pixels from shared memory, and refuses a buffer that is too short', async () => {
  const encode = createEncodePicture(startThread);
  const shared = new SharedArrayBuffer(memory.length);
  new Uint8Array(shared).set(memory);
  const options = { format: 'png', maxWidth: null, mostBytes: 2 ** 20 } as const;
  const { bytes } = await encode({ ...raw, transform: 0, memory: shared }, options);
  const seen = pixelsOf(await decodePng(bytes)).map((row) => row.map(([red]) => red));
  expect(seen).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  await expect(encode({ ...raw, transform: 0, height: 3, memory: shared }, options)).rejects.toThrow('ends too early');
});

test('the thread encodes a picture and reports a failure', async () => {
  const encode = createEncodePicture(startThread);
  const pixels = noise(40, 30);
  const png = await encodePng(rowsFrom(pixels), 2 ** 20);
  const made = await encode({ png }, { format: 'png', maxWidth: 20, mostBytes: 2 ** 20 });
  expect([made.format, made.width, made.height]).toEqual(['png', 20, 15]);
  expect(pixelsOf(await decodePng(made.bytes))).toEqual(pixelsOf(boxScaled(rowsFrom(pixels), 20)));
  await expect(encode({ png }, { format: 'png', maxWidth: null, mostBytes: 100 })).rejects.toMatchObject({
    code: 'too_large',
  });
  await expect(encode({ png: Buffer.from('no') }, { format: 'png', maxWidth: null, mostBytes: 100 })).rejects.toThrow(
    'not a PNG',
  );
  const webp = await encode({ png }, { format: 'webp', maxWidth: 20, mostBytes: 2 ** 20 });
  expect([webp.format, webp.width, webp.height, pictureTypeOf(Buffer.from(webp.bytes))]).toEqual([
    'webp',
    20,
    15,
    'image/webp',
  ]);
  await expect(encode({ png }, { format: 'webp', maxWidth: null, mostBytes: 100 })).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('as WebP'),
  });
});
