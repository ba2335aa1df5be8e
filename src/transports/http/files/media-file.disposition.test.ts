import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { inlineAs } from './media-file.ts';

test.each([
  ['song.mp3', `inline; filename="song.mp3"; filename*=UTF-8''song.mp3`],
  ['two words.mp3', `inline; filename="two words.mp3"; filename*=UTF-8''two%20words.mp3`],
  ['é你😀.mp3', `inline; filename="___.mp3"; filename*=UTF-8''%C3%A9%E4%BD%A0%F0%9F%98%80.mp3`],
  ['a"b\\c%41.mp3', `inline; filename="a_b_c_41.mp3"; filename*=UTF-8''a%22b%5Cc%2541.mp3`],
  ['a\r\nSet-Cookie: x.mp3', `inline; filename="a__Set-Cookie: x.mp3"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x.mp3`],
  ["it's (*).mp3", `inline; filename="it's (*).mp3"; filename*=UTF-8''it%27s%20%28%2A%29.mp3`],
  ['half\ud83d.mp3', `inline; filename="half_.mp3"; filename*=UTF-8''half%EF%BF%BD.mp3`],
])('%j', (name, expected) => {
  expect(inlineAs(name)).toBe(expected);
});

test('any file name is one valid header that decodes to the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const header = inlineAs(name);
      const [, plain, extended = ''] =
        /^inline; filename="([^"\\]*)"; filename\*=UTF-8''((?:[\w!#$&+.^`|~-]|%[0-9A-F]{2})*)$/.exec(header) ?? [];
      expect(plain).toMatch(/^[\x20-\x7e]*$/);
      expect(decodeURIComponent(extended)).toBe(name);
      expect(new Headers({ 'Content-Disposition': header }).get('content-disposition')).toBe(header);
    }),
  );
});
