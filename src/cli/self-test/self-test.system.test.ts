import { expect, test } from 'bun:test';
import { compareFact } from './self-test.system.ts';

test.each([
  [{ theirs: 'NTFS' }, 'NTFS', true],
  [{ theirs: 'NTFS' }, 'FAT32', false],
  [{ theirs: 8 }, 8, true],
  [{ theirs: 100, within: 5 }, 96, true],
  [{ theirs: 100, within: 5 }, 94, false],
  [{ theirs: 100 }, '100', false],
  [{ theirs: 'x' }, null, false],
  [{ theirs: 0 }, undefined, false],
])('the reference %j and our value %p agree: %p', (given, ours, agrees) => {
  const fact = { module: 'm', field: 'f', pick: () => ours, ...given };
  expect(compareFact(fact, {})).toMatchObject({ ours: ours ?? null, theirs: given.theirs, passed: agrees });
});
