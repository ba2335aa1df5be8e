import { expect, test } from 'bun:test';
import { quoted } from './quoted.ts';

test.each([
  ['plain text', 'nginx.service', '"nginx.service"'],
  ['quotes', 'a"b', '"a\\"b"'],
  ['words in any script', 'Ünï 日本語', '"Ünï 日本語"'],
  ['a line break', 'a\nb', '"a\\nb"'],
  ['an escape', 'a\u001b[2Jb', '"a\\u001b[2Jb"'],
  ['a C1 code, which hides the rest of a line', 'a\u009d rm', '"a\\u{9d} rm"'],
  ['a mark of direction', 'a\u202eb', '"a\\u{202e}b"'],
  ['a zero-width space', 'fire\u200bfox', '"fire\\u{200b}fox"'],
  ['a tag character', 'a\u{e0041}', '"a\\u{e0041}"'],
  ['a line separator', 'a\u2028b', '"a\\u{2028}b"'],
  ['a no-break space', 'a\u00a0b', '"a\\u{a0}b"'],
  ['a Braille blank', 'a\u2800b', '"a\\u{2800}b"'],
  [
    'other characters with an empty glyph',
    '\ufffc\u3164\u{13441}\u{1d159}',
    '"\\u{fffc}\\u{3164}\\u{13441}\\u{1d159}"',
  ],
  ['spaces in a row', 'a   b', '"a \\u{20}\\u{20}b"'],
])('quoted text: %s', (_what, text, shown) => {
  expect(quoted(text)).toBe(shown);
});

test('a long value is quoted completely', () => {
  expect(quoted('x'.repeat(1000))).toBe(`"${'x'.repeat(1000)}"`);
});
