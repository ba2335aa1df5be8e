import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { atOnce } from '../../lib/slices.ts';
import { sorted } from './files.sort.ts';

test('texts have the order of Array.sort', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 5 }), { maxLength: 50 }), (texts) => {
      expect(atOnce(sorted(texts))).toEqual(texts.toSorted());
    }),
  );
});

test('sorts many texts and an empty list', () => {
  for (const length of [0, 1, 2047, 2048, 2049, 4096, 4097, 20_000]) {
    const texts = Array.from({ length }, (_, index) => String((index * 7919) % 20_011));
    expect(atOnce(sorted(texts))).toEqual(texts.toSorted());
  }
});
