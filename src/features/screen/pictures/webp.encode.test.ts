import { expect, test } from 'bun:test';
import { pictureTypeOf } from '../../../lib/picture-type.ts';
import type { PictureRows } from './picture-rows.ts';
import { decodePng } from './png.decode.ts';
import { PictureTooLarge } from './png.encode.ts';
import { encodeWebp } from './webp.encode.ts';

/** All neighbours and all colour channels differ. */
function painted(width: number, height: number): PictureRows {
  return {
    width,
    height,
    read(y, row) {
      for (let at = 0; at < width * 3; at += 1) row[at] = (at * 37 + y * 101 + (at % 3) * 59) & 255;
    },
  };
}

const allOf = ({ width, height, read }: PictureRows) =>
  Array.from({ length: height }, (_, y) => {
    const row = new Uint8Array(width * 3);
    read(y, row);
    return Buffer.from(row).toString('hex');
  });

// Bitmap rows are padded to four bytes: test every remainder.
test.each([
  [1, 1],
  [2, 3],
  [3, 2],
  [4, 1],
  [1, 70],
  [257, 31],
])('a picture of %d × %d pixels is decoded to the same pixels', async (width, height) => {
  const picture = painted(width, height);
  const webp = await encodeWebp(picture, 2 ** 20);
  expect(pictureTypeOf(Buffer.from(webp))).toBe('image/webp');
  // VP8L: lossless.
  expect(Buffer.from(webp).toString('latin1', 12, 16)).toBe('VP8L');
  const read = await decodePng(await new Bun.Image(webp).png().bytes());
  expect([read.width, read.height, allOf(read)]).toEqual([width, height, allOf(picture)]);
});

test('a picture beyond the format or the limit is refused with advice', async () => {
  for (const [width, height] of [
    [16_384, 1],
    [1, 16_384],
    [4000, 2501],
  ] as const)
    await expect(encodeWebp(painted(width, height), 2 ** 20)).rejects.toThrow('use png, or a smaller max_width');
  const large = encodeWebp(painted(400, 400), 100);
  await expect(large).rejects.toThrow(PictureTooLarge);
  await expect(large).rejects.toThrow('as WebP; a smaller max_width makes it smaller');
});
