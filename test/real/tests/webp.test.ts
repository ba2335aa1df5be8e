import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { encodeWebpPixels } from '../../../src/host/pictures/webp.encode.ts';
import { webpSamples } from '../../harness/webp-samples.ts';
import { readByDwebp } from '../harness/dwebp.ts';
import { needs } from '../harness/parts.ts';

setDefaultTimeout(120_000);

describe.skipIf(!needs('dwebp'))('libwebp sees each pixel as it was', () => {
  test.each(webpSamples())('$name of $width × $height', ({ width, height, pixels }) => {
    const expected = Buffer.alloc(pixels.length * 4);
    for (const [at, pixel] of pixels.entries()) expected.writeUInt32BE(((pixel << 8) | (pixel >>> 24)) >>> 0, at * 4);
    const seen = readByDwebp(encodeWebpPixels({ width, height, pixels }, 2 ** 24));
    expect([seen.width, seen.height, seen.rgba.equals(expected)]).toEqual([width, height, true]);
  });
});
