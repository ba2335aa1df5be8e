import { expect, test } from 'bun:test';
import { shownText } from './printable-text.ts';

test.each([
  ['plain text', 'Inbox (3) – Mail', 'Inbox (3) – Mail'],
  ['control characters', 'a\u001b[2Jb\u0000c\nd', 'a\ufffd[2Jb\ufffdc\ufffdd'],
  ['marks that turn it around', 'photo\u202egpj.exe', 'photogpj.exe'],
  ['half a character', 'a\ud83d', 'a\ufffd'],
  ['a family', '👨‍👩‍👧', '👨‍👩‍👧'],
  ['a line that is a character too long', 'x'.repeat(21), `${'x'.repeat(19)}…`],
  ['a line that just fits', 'x'.repeat(20), 'x'.repeat(20)],
])('printable text: %s', (_what, text, shown) => {
  expect(shownText(text, 20)).toBe(shown);
});

test('ten megabytes are cut before they are scanned', () => {
  const shown = shownText('\u0007'.repeat(10_000_000), 256);
  expect([...shown]).toHaveLength(256);
  expect(shown.endsWith('…')).toBe(true);
});
