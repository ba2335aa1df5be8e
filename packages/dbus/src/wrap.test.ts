import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BusError, variant } from './dbus.ts';
import { readValues } from './wire.read.ts';
import { wrap } from './wrap.ts';

/** Over the bytes that go on the wire and back. */
function roundTrip(signature: string, body: unknown[]): unknown[] {
  return readValues(wrap(signature, body), 0, true, signature, 1000);
}

test('values survive a round trip as plain JavaScript', () => {
  const table: [string, unknown[]][] = [
    ['s', ["grüße '\\ 🎧"]],
    ['ybnqiuxtd', [255, true, -32768, 65535, -2147483648, 4294967295, -5, 5, 0.5]],
    ['xt', [-(2n ** 63n), 2n ** 64n - 1n]],
    ['og', ['/a/b', 'a{sv}']],
    ['ay', [new Uint8Array([0, 1, 255])]],
    ['as', [['a', 'b']]],
    ['(s(ib))', [['a', [1, false]]]],
    ['aai', [[[1, 2], [], [3]]]],
    ['v', [['s', 'x']]],
    ['v', [['a']]],
    ['av', [[1, 'two', [true, 3.5], 2 ** 40, new Uint8Array([7])]]],
    ['', []],
  ];
  for (const [signature, body] of table) expect(roundTrip(signature, body)).toEqual(body);
});

test('dictionaries are objects, with whatever keys', () => {
  const tree = { a: { b: { c: 1 } }, empty: {} };
  expect(roundTrip('a{sv}', [tree])).toEqual([tree]);
  expect(roundTrip('a{us}', [{ 1: 'one', 4294967295: 'most' }])).toEqual([{ 1: 'one', 4294967295: 'most' }]);
  expect(roundTrip('a{oa{sa{sv}}}', [{ '/a': { 'x.y': { P: variant('t', 7) } } }])).toEqual([
    { '/a': { 'x.y': { P: 7 } } },
  ]);
});

test('a variant is sent with the requested type', () => {
  const text = (signature: string, body: unknown[]) => Buffer.from(wrap(signature, body)).toString('latin1');
  expect(text('v', [variant('y', 2)])).toBe('\x01y\0\x02');
  expect(text('v', [2])).toBe('\x01i\0\0\x02\0\0\0');
  expect(text('a{sv}', [{ urgency: variant('y', 2) }])).toContain('urgency\0\x01y\0\x02');
});

test('an object from outside cannot pass for a variant', () => {
  expect(roundTrip('v', [{ signature: 's', value: 'x' }])).toEqual([{ signature: 's', value: 'x' }]);
});

test('any JSON survives as a variant', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      fc.integer(),
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      tie('list'),
      tie('dict'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    dict: fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('\\u0000'));
      // Whole numbers beyond 2^53 have no exact type; -0 is no integer.
      fc.pre(!/[0-9]e\+|\d{16}/.test(text));
      expect(JSON.stringify(roundTrip('v', [value])[0])).toBe(text);
    }),
    { numRuns: 300 },
  );
});

const cyclic: { self?: unknown; other?: unknown } = {};
cyclic.self = cyclic;
cyclic.other = cyclic;

test('values that do not match the signature are refused before sending', () => {
  const table: [string, unknown[]][] = [
    ['s', []],
    ['', ['x']],
    ['s', [5]],
    ['s', [null]],
    ['s', ['a\0b']],
    ['as', [['a', 'b\0']]],
    ['o', ['no/path']],
    ['g', ['a{']],
    ['b', [1]],
    ['y', [256]],
    ['y', [-1]],
    ['i', [2 ** 31]],
    ['u', [0.5]],
    ['u', ['1']],
    ['x', [2 ** 53]],
    ['t', [-1n]],
    ['t', [2n ** 64n]],
    ['d', [Number.NaN]],
    ['h', [0]],
    ['as', ['abc']],
    ['(ss)', [['a']]],
    ['a{sv}', [[['a', 'b']]]],
    ['a{sv}', [null]],
    ['a{us}', [{ x: 'y' }]],
    ['v', [undefined]],
    ['v', [null]],
    ['v', [() => 1]],
    ['v', [variant('ss', ['a', 'b'])]],
    ['v', [variant('', 1)]],
    ['v', [variant('q', 70000)]],
    ['a{sv}', [cyclic]],
    ['(', []],
  ];
  for (const [signature, body] of table) {
    const sent = expect(() => wrap(signature, body), `${signature} ${String(body)}`);
    sent.toThrow(BusError);
    sent.toThrow(expect.objectContaining({ errorName: 'Client.Invalid' }));
  }
});

test('a body of more than a mebibyte is refused, one below it is not', () => {
  expect(() => wrap('s', ['x'.repeat(1024 * 1024)])).toThrow('1 MiB');
  expect(() => wrap('ay', [new Uint8Array(1024 * 1024)])).toThrow('1 MiB');
  expect(() => wrap('as', [Array.from({ length: 200_000 }, () => '')])).toThrow('1 MiB');
  expect(() => wrap('s', ['ü'.repeat(512 * 1024)])).toThrow('1 MiB');
  expect(() => wrap('s', ['x'.repeat(1_000_000)])).not.toThrow();
});
