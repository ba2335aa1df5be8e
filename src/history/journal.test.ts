import { expect, test } from 'bun:test';
import { memoryStorage } from '../../test/doubles/fake-host.ts';
import { readBlock, type SampleBlock, writeBlock } from './block.ts';
import { openJournal } from './journal.ts';

const paths = { config: '/config', state: '/state', runtime: null };
const file = '/state/history.journal';

const block = (id: number): SampleBlock => ({
  id,
  every: 15_000,
  at: [1000, 16_000],
  series: { cpu: [12.5, null], memory: [50, 51] },
  processes: [[{ pid: 7, name: 'a "b"\n', cpu: 3, memory: 4096 }], []],
  events: [{ at: 1000, kind: 'start', text: 'Hostler was started' }],
});

test('a block is the same after it was written and read', () => {
  expect(readBlock(writeBlock(block(1)))).toEqual(block(1));
  expect(writeBlock(block(1))).not.toContain('\n');
});

test.each([
  '',
  '{',
  '{}',
  'null',
  '7',
  '[]',
  '{"id":1,"every":1,"at":[1],"series":{"cpu":[]},"events":[],"named":[],"used":[]}',
])('a line that is no block is left out: %s', (line) => {
  expect(readBlock(line)).toBeNull();
});

test('blocks are passed on once', () => {
  const journal = openJournal({ storage: memoryStorage(), paths });
  expect(journal.isEmpty()).toBe(true);
  journal.add(block(1));
  journal.add(block(2));
  expect(journal.takeIn((blocks) => blocks.map(({ id }) => id))).toEqual([1, 2]);
  expect(journal.isEmpty()).toBe(true);
});

test('blocks of a failed transfer are passed on again, before later ones', () => {
  const journal = openJournal({ storage: memoryStorage(), paths });
  journal.add(block(1));
  expect(() =>
    journal.takeIn(() => {
      throw new Error('full');
    }),
  ).toThrow('full');
  journal.add(block(2));
  const ids: number[][] = [];
  for (const _ of [1, 2]) ids.push(journal.takeIn((blocks) => blocks.map(({ id }) => id)));
  expect(ids).toEqual([[1], [2]]);
});

test('a damaged line does not affect others', () => {
  const whole = writeBlock(block(1));
  const storage = memoryStorage({ [file]: `${whole}\n${whole.slice(0, 40)}` });
  const journal = openJournal({ storage, paths });
  journal.add(block(3));
  expect(journal.takeIn((blocks) => blocks.map(({ id }) => id))).toEqual([1, 3]);
});

test('a merge of the journal is due after some hours, not before', () => {
  const journal = openJournal({ storage: memoryStorage(), paths });
  expect(journal.isLong()).toBe(false);
  for (let count = 0; count < 4000; count += 1) journal.add(block(count));
  expect(journal.isLong()).toBe(true);
  journal.takeIn(() => {});
  expect(journal.isLong()).toBe(false);
});
