import { expect, test } from 'bun:test';
import { dictionary, unwrap } from './unwrap.ts';

/** As dbus-native hands dictionaries over. */
function pairs(...entries: [unknown, unknown][]): unknown[] {
  return Object.defineProperty(entries, dictionary, { value: true });
}

test('a key __proto__ is a key like any other', () => {
  const evil = unwrap(pairs(['__proto__', pairs(['polluted', true])], ['constructor', 'mine'], ['a', 1]));
  expect(Object.getPrototypeOf(evil)).toBeNull();
  expect(Object.keys(evil as object)).toEqual(['__proto__', 'constructor', 'a']);
  expect('polluted' in {}).toBeFalse();
  expect('polluted' in (evil as object)).toBeFalse();
});

test('a dictionary is told from an array of structs', () => {
  expect(unwrap(pairs(['a', 'b']))).toEqual({ a: 'b' });
  expect(unwrap([['a', 'b']])).toEqual([['a', 'b']]);
});

test('64-bit numbers are numbers as long as no digit is lost', () => {
  expect(unwrap(5n)).toBe(5);
  expect(unwrap(BigInt(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  expect(unwrap(BigInt(Number.MIN_SAFE_INTEGER))).toBe(Number.MIN_SAFE_INTEGER);
  expect(unwrap(2n ** 53n)).toBe(2n ** 53n);
  expect(unwrap(-(2n ** 63n))).toBe(-(2n ** 63n));
});

test('bytes are an array of their own', () => {
  const shared = Buffer.from('abc');
  const bytes = unwrap(shared);
  shared.fill(0);
  expect(bytes).toEqual(new Uint8Array([97, 98, 99]));
  expect(Buffer.isBuffer(bytes)).toBeFalse();
});

test('everything inside is unwrapped as well', () => {
  const value = [pairs(['list', [pairs(['n', 1n])]]), 'text', true, null];
  expect(unwrap(value)).toEqual([{ list: [{ n: 1 }] }, 'text', true, null]);
});
