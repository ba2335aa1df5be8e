import { expect, test } from 'bun:test';
import { harmless } from './harmless-text.ts';

test('JSON output keeps its value, and contains no control characters', () => {
  const title = 'a\u202eb\u2066c\u200fd\u061ce\u2028f\u009b31mg\u001b[2Jh\u007f\tünï 日本 🎉';
  const printed = harmless(JSON.stringify({ title }, null, 2));
  expect(JSON.parse(printed)).toEqual({ title });
  expect(printed).toMatch(/^[\n\x20-\x7e\u00a0-\u0600\u3000-\uffff]*$/);
  expect(printed).toContain('\\u202e');
});

test('printed text makes hidden characters visible', () => {
  expect(harmless('one\u001b]0;title\u0007\u202etwo\rthree')).toBe('one\\u001b]0;title\\u0007\\u202etwo\\u000dthree');
});

test('lines, tabs, joined letters and emoji stay', () => {
  const text = 'a\n\tb می\u200cخواهم 👩\u200d💻 é';
  expect(harmless(text)).toBe(text);
});
