import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { pictures } from '../../test/harness/pictures.ts';
import { pictureTypeOf } from './picture-type.ts';

const all = Object.entries(pictures);

test.each([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['lossless', 'image/webp'],
  ['bmp', 'image/bmp'],
] as const)('a picture of the format %s has the type %s', (kind, type) => {
  expect(pictureTypeOf(pictures[kind])).toBe(type);
});

describe('data that only begins like a picture is rejected', () => {
  const secret = Buffer.from('password=hunter2\n'.repeat(20));
  test.each(all)('%s: its first 2 to 64 bytes and then something else', (_kind, picture) => {
    for (let length = 2; length <= Math.min(64, picture.length - 8); length += 1) {
      expect(pictureTypeOf(Buffer.concat([picture.subarray(0, length), secret]))).toBeNull();
    }
  });

  test.each(all)('%s: cut anywhere', (_kind, picture) => {
    for (let length = 0; length < picture.length; length += 1)
      expect(pictureTypeOf(picture.subarray(0, length))).toBeNull();
  });

  test.each(['BM', 'BMW is a brand', 'GIF89a', 'RIFF....WEBP', '\x89PNG\r\n\x1a\n', ''])('%j', (text) => {
    expect(pictureTypeOf(Buffer.concat([Buffer.from(text, 'latin1'), secret]))).toBeNull();
  });

  test('a picture of an impossible size', () => {
    const huge = Buffer.from(pictures.bmp);
    huge.writeInt32LE(1_000_000, 18);
    expect(pictureTypeOf(huge)).toBeNull();
  });
});

test('arbitrary bytes never throw', () => {
  const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(pictures)), change, (picture, changes) => {
      const bytes = Buffer.from(picture);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      const type = pictureTypeOf(bytes);
      expect(type === null || type.startsWith('image/')).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
