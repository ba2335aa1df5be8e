import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { firstSorted } from './first-sorted.ts';

test('the same entries in the same order as a stable sort', () => {
  const lists = fc.array(fc.record({ rank: fc.integer({ min: 0, max: 5 }), id: fc.integer() }), { maxLength: 400 });
  const byRank = (a: { rank: number }, b: { rank: number }) => b.rank - a.rank;
  fc.assert(
    fc.property(lists, fc.integer({ min: 0, max: 300 }), (list, count) => {
      expect(firstSorted(list, count, byRank)).toEqual(list.toSorted(byRank).slice(0, count));
    }),
  );
});
