import { expect, test } from 'bun:test';
import { jsonText } from './json-text.ts';

test.each([
  ['a\ud83d', 'a\ufffd'],
  ['\ude00b', '\ufffdb'],
  ['\ud83d\ud83d\ude00', '\ufffd😀'],
  ['\\\ud83d', '\\\ufffd'],
  ['\\ud83d', '\\ud83d'],
  ['\\\\ud83d', '\\\\ud83d'],
  ['\u2028 \\ 😀 \\udomain', '\u2028 \\ 😀 \\udomain'],
])('%j is written as text without halves of surrogate pairs', (text, expected) => {
  const written = jsonText({ [text]: [text] });
  expect(written).not.toMatch(/(?<!\\)(\\\\)*\\ud/);
  expect(JSON.parse(written)).toEqual({ [expected]: [expected] });
});

test('what JSON cannot represent stays undefined', () => {
  expect(jsonText(undefined)).toBeUndefined();
});
