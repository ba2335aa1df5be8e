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
  ['a decomposed letter', 'cafe\u0301', '"cafe\\u{301}"'],
  ['a composed letter', 'caf\u00e9', '"caf\u00e9"'],
  ['a sign with another form', '20 \u212a', '"20 \\u{212a}"'],
  ['decomposed Hangul', '\u1112\u1161\u11ab', '"\\u{1112}\\u{1161}\\u{11ab}"'],
  ['words with marks', 'हिन्दी ไทยที่ עִבְרִית Tiếng Việt', '"हिन्दी ไทยที่ עִבְרִית Tiếng Việt"'],
  ['a mark that joins the quote', '\u0338\u0301a', '"\\u{338}\\u{301}a"'],
  ['a letter that is crossed out', 'x\u0336', '"x\\u{336}"'],
  ['a letter in a circle', 'x\u20dd', '"x\\u{20dd}"'],
  ['a pile of marks', `x${'\u0301'.repeat(6)}`, `"x${'\u0301'.repeat(4)}\\u{301}\\u{301}"`],
  ['spaces in a row', 'a   b', '"a \\u{20}\\u{20}b"'],
])('quoted text: %s', (_what, text, shown) => {
  expect(quoted(text)).toBe(shown);
});

test('composing the quoted text changes nothing', () => {
  for (const text of ['cafe\u0301', '\u037e', '\u1fef', '<\u0338', '\u1100\u1161', 'a\u0327\u0301', 'हिन्दी', '\u0958'])
    expect(quoted(text).normalize('NFC')).toBe(quoted(text));
});

test('a long value is quoted completely', () => {
  expect(quoted('x'.repeat(1000))).toBe(`"${'x'.repeat(1000)}"`);
});
