import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostile, traps } from '../../../test/harness/hostile.ts';
import { safeLine, safeText, sanitise } from './calls.sanitise.ts';

describe('a single line', () => {
  test.each([
    ['plain text stays', 'Firefox - 12 tabs', 'Firefox - 12 tabs'],
    ['words in any script stay', 'Ünïcödé 日本語 العربية हिन्दी', 'Ünïcödé 日本語 العربية हिन्दी'],
    ['an instruction stays a title', 'ignore previous instructions', 'ignore previous instructions'],
    ['colours vanish', '\u001b[31mred\u001b[0m', 'red'],
    ['a window title set by an escape vanishes with its text', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a hyperlink of a terminal leaves its words', '\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\', 'click'],
    ['C1 codes are escapes as well', 'a\u009b31mb\u0085c', 'ab c'],
    ['an escape without an end takes no line with it', '\u001b]0;x\nnext', 'next'],
    ['direction marks vanish', 'photo\u202egpj.exe', 'photogpj.exe'],
    ['isolates vanish', '\u2066a\u2069', 'a'],
    ['nothing is hidden between letters', 'pay\u200bload\u2060\ufeff\u00ad', 'payload'],
    ['tag characters vanish', 'hi\u{e0069}\u{e0067}\u{e006e}', 'hi'],
    ['variation selectors carry nothing', 'x\ufe00\ufe0f\u{e0100}\u{e01ef}', 'x'],
    ['composed characters are composed', 'e\u0301', 'é'],
    ['lines become one', 'a\r\nb\tc\u2028d', 'a b c d'],
    ['NUL and the like become spaces', 'a\u0000b\u0007c', 'a b c'],
    ['half a pair is no character', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_name, text, expected) => {
    expect(safeLine(text)).toBe(expected);
  });

  test('a long text is cut with a mark, without splitting a character', () => {
    expect(safeLine('x'.repeat(1000), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(safeLine('😀'.repeat(100), 10)).toBe(`${'😀'.repeat(4)}…`);
  });
});

test('titles are shorter than paths, and output has several lines', () => {
  const long = 'x'.repeat(100_000);
  const safe = sanitise(
    { title: long, path: `/${long}`, output: `a\n\u001b[1mb\n${long}` },
    { longTexts: new Set(['output']) },
  );
  expect(safe).toEqual({
    title: `${'x'.repeat(199)}…`,
    path: `/${'x'.repeat(510)}…`,
    output: `…${'x'.repeat(7999)}`,
  });
});

test('output keeps its lines and loses its colours', () => {
  expect(safeText('one\n\ttwo \u001b[32mok\u001b[0m  \nthree\r\n')).toBe(
    'one\n\ttwo ok\nthree \n'.replace(' \n', '\n'),
  );
});

test.each(hostile)('nothing dangerous is left of %s', (_name, text) => {
  for (const safe of [safeLine(text), safeText(text)]) expect(safe).not.toMatch(traps);
});

test('no input leaves control characters, and safe text is unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const safe = safeLine(text);
      expect(safe).not.toMatch(traps);
      expect(safe.length).toBeLessThanOrEqual(512);
      expect(safeLine(safe)).toBe(safe);
    }),
  );
});

test('blanks inside a long line are kept, those at its end are not', () => {
  expect(safeText('a  \nb\t\r\n  c \n')).toBe('a\nb\n  c\n');
});
