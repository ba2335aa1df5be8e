import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { parseKernelUnits } from './auxv.ts';

const vector = (...words: number[]) => new Uint8Array(new BigUint64Array(words.map(BigInt)).buffer);

test('page size and clock ticks are found at any position', () => {
  expect(parseKernelUnits(vector(33, 7, 6, 65_536, 17, 1024, 0, 0))).toEqual({
    pageBytes: 65_536,
    ticksPerSecond: 1024,
  });
});

test('without them, or without an auxiliary vector, the defaults are 4 KiB and 100 a second', () => {
  const customary = { pageBytes: 4096, ticksPerSecond: 100 };
  expect(parseKernelUnits(null)).toEqual(customary);
  expect(parseKernelUnits(new Uint8Array(40))).toEqual(customary);
});

test.skipIf(!fs.existsSync('/proc/self/auxv'))('the real one has both', () => {
  const { pageBytes, ticksPerSecond } = parseKernelUnits(fs.readFileSync('/proc/self/auxv'));
  expect([4096, 16_384, 65_536]).toContain(pageBytes);
  expect([100, 1024]).toContain(ticksPerSecond);
});
