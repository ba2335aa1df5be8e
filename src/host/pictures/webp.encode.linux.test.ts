import { expect, test } from 'bun:test';
import { webpSamples } from '../../../test/harness/webp-samples.ts';
import { decodePng } from './png.decode.ts';
import { encodeWebp } from './webp.encode.ts';

// The decoder of the runtime, which is libwebp; whether every build of it has one is not ours to say, so this is for Linux.
test.each(webpSamples().filter(({ hasAlpha }) => !hasAlpha))(
  '$name of $width × $height pixels is read as it was',
  async ({ width, height, pixels }) => {
    const rgb = Uint8Array.from({ length: pixels.length * 3 }, (_, at) => {
      const pixel = pixels[Math.floor(at / 3)] ?? 0;
      return pixel >>> (16 - (at % 3) * 8);
    });
    const rows = {
      width,
      height,
      read: (y: number, row: Uint8Array) => row.set(rgb.subarray(y * width * 3, (y + 1) * width * 3)),
    };
    const read = await decodePng(await new Bun.Image(encodeWebp(rows, 2 ** 24)).png().bytes());
    expect([read.width, read.height]).toEqual([width, height]);
    const row = new Uint8Array(width * 3);
    for (let y = 0; y < height; y += 1) {
      read.read(y, row);
      if (Buffer.compare(row, rgb.subarray(y * width * 3, (y + 1) * width * 3)) !== 0)
        throw new Error(`row ${y} differs`);
    }
  },
);
