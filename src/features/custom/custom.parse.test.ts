import { expect, test } from 'bun:test';
import { parseCustomValue } from './custom.parse.ts';

const parse = (kind: 'number' | 'json' | 'text' | 'lines', text: string, path = '') =>
  parseCustomValue({ parse: kind, path }, text);

test.each<[string, number]>([
  ['42\n', 42],
  ['  -3.5e2 °C\n', -350],
  ['0.42 0.30 0.20 1/200 99', 0.42],
  ['42%', 42],
  ['.5', 0.5],
  ['+7', 7],
])('%j is the number %p', (text, value) => {
  expect(parse('number', text)).toBe(value);
});

test.each(['', 'n/a', '1.2.3', '0x10', '12abc', '1,5', '1e999', 'NaN', 'Infinity'])('%j is no number', (text) => {
  expect(() => parse('number', text)).toThrow('does not begin with a number');
});

test('JSON gives the part at the configured path', () => {
  const text = '{"a":{"b":[1,{"c":"x"}]},"n":null}';
  expect(parse('json', text, 'a.b.1.c')).toBe('x');
  expect(parse('json', text, 'a.b.0')).toBe(1);
  expect(parse('json', text)).toEqual({ a: { b: [1, { c: 'x' }] }, n: null });
  for (const path of ['a.x', 'a.b.2', 'toString', 'a.b.length.x', '__proto__', 'a.constructor'])
    expect(() => parse('json', text, path)).toThrow('has no');
  expect(() => parse('json', text, 'n')).toThrow('is null');
  expect(() => parse('json', '{')).toThrow('not JSON');
});

test('JSON that is too large is refused', () => {
  expect(() => parse('json', `${'['.repeat(9)}1${']'.repeat(9)}`)).toThrow('deeper');
  expect(() => parse('json', `${'['.repeat(20_000)}1${']'.repeat(20_000)}`)).toThrow();
  expect(() => parse('json', JSON.stringify('x'.repeat(20_000)))).toThrow('longer');
});

test('text of a sensor cannot reverse or hide other text, or change the prototype of an object', () => {
  expect(parse('text', 'a\u202eb\u0000c\u001b[31m\n\n')).toBe('a\ufffdb\ufffdc\ufffd[31m');
  const value = parse('json', '{"__proto__":{"x":1},"k\u202e":"\ud800"}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"k\ufffd":"\ufffd"}');
});

test('text and lines are cut', () => {
  expect(String(parse('text', 'x'.repeat(10_000))).length).toBe(4096);
  const lines = parse('lines', `${'y'.repeat(1000)}\n`.repeat(1000));
  expect(Array.isArray(lines) && [lines.length, lines[0].length]).toEqual([100, 500]);
  expect(parse('lines', 'a\nb\n')).toEqual(['a', 'b']);
});

test('a long text that is no number is refused, not searched for minutes', () => {
  const text = `${'1'.repeat(1_000_000)}x`;
  expect(() => parseCustomValue({ parse: 'number', path: '' }, text)).toThrow('does not begin with a number');
});
