import { expect, test } from 'bun:test';
import { numberAfter, numberIn } from './text-fields.ts';

test.each([
  ['a 1\nctxt 50939712\nb 2\n', '\nctxt ', 50_939_712],
  ['MemTotal:        8 kB\n', 'MemTotal:', 8],
  ['a 1\n', '\nctxt ', null],
  ['ctxt none\n', 'ctxt ', null],
])('in %j the number after %j is %p', (text, key, number) => {
  expect(numberAfter(text, key)).toBe(number);
});

test.each([
  ['1400\n', 1400],
  ['0x1003\n', 4099],
  ['-1\n', -1],
  ['\n', null],
  ['unknown\n', null],
  [null, null],
])('a file with %j holds the number %p', (text, number) => {
  expect(numberIn(text)).toBe(number);
});
