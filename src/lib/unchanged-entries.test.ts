import { expect, test } from 'bun:test';
import { createUnchangedEntries } from './unchanged-entries.ts';

test('an unchanged entry is the same object, a changed one is not', () => {
  const keep = createUnchangedEntries<{ id: number; state: string }>();
  const [one, other] = keep([
    ['1', { id: 1, state: 'on' }],
    ['2', { id: 2, state: 'on' }],
  ]);
  const [oneAgain, otherAgain] = keep([
    ['1', { id: 1, state: 'on' }],
    ['2', { id: 2, state: 'off' }],
  ]);
  expect(oneAgain).toBe(one as NonNullable<typeof one>);
  expect(otherAgain).not.toBe(other as NonNullable<typeof other>);
  expect(otherAgain).toEqual({ id: 2, state: 'off' });
});

test('an entry that was gone is a new object', () => {
  const keep = createUnchangedEntries<{ id: number }>();
  const entry = ['1', { id: 1 }] as const;
  const [first] = keep([entry]);
  expect(keep([])).toEqual([]);
  const [later] = keep([['1', { id: 1 }]]);
  expect(later).not.toBe(first as NonNullable<typeof first>);
});
