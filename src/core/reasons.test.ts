import { expect, test } from 'bun:test';
import { collectReasons, explainNulls } from './reasons.ts';

const entries = [
  { name: 'a', size: 1, owner: null },
  { name: 'b', size: null, owner: null },
];

test('only fields that are null in some entry get a reason', () => {
  const { reasons, collected } = collectReasons();
  explainNulls(entries, 'disks[]', { name: 'no name', size: 'no size' }, reasons.inherent);
  expect(collected).toEqual([{ field: 'disks[].size', reason: 'no size', mendable: false }]);
});

test('one function gives the reason of every field, and an empty path is the payload', () => {
  const { reasons, collected } = collectReasons();
  explainNulls(entries, '', (field) => `no ${field}`, reasons.missing);
  expect(collected).toEqual([
    { field: 'size', reason: 'no size', mendable: true },
    { field: 'owner', reason: 'no owner', mendable: true },
  ]);
  explainNulls([], '', () => 'no entry', reasons.missing);
  expect(collected).toHaveLength(2);
});
