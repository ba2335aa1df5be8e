import { expect, test } from 'bun:test';
import { pack, unpack } from './packed-float.ts';

test.each([0, 1, 2, 99, 100, 512, -5, 0.5, 37.5, 51.25])('%d is stored exactly', (value) => {
  expect(unpack(pack(value))).toBe(value);
});

test('a missing value is stored as null', () => {
  expect(unpack(pack(null))).toBeNull();
  expect(unpack(pack(Number.NaN))).toBeNull();
});

test('three digits are stored at any magnitude that occurs', () => {
  for (let value = 0.001; value < 1e14; value *= 1.37)
    for (const signed of [value, -value])
      expect(Math.abs((unpack(pack(signed)) ?? 0) - signed) / value).toBeLessThan(0.0011);
});

test('values out of range become the largest, never null', () => {
  for (const value of [1e20, Number.POSITIVE_INFINITY]) {
    expect(unpack(pack(value))).toBeGreaterThan(1e14);
    expect(unpack(pack(-value))).toBeLessThan(-1e14);
  }
  expect(unpack(pack(1e-9))).toBe(0);
});
