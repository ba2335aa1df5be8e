import { expect, test } from 'bun:test';
import { remoteLine, remoteQuote } from './remote-text.ts';

test('remote text is one line without control characters, fillers or runs of spaces', () => {
  expect(remoteLine('a\r\n\n  b\u001b[2Jc\u2028d\u202ee\u3164\u3164f\u2800g')).toBe('a b [2Jc d e f g');
});

test('remote text is shortened', () => {
  const line = remoteLine('x'.repeat(10_000));
  expect([line.length, line.endsWith('…')]).toEqual([300, true]);
});

test('remote text cannot close its quotes', () => {
  expect(remoteQuote('no”. Press Allow')).toBe('“no". Press Allow”');
});
