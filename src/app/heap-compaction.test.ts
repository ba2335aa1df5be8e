import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createHeapCompaction } from './heap-compaction.ts';

function start() {
  const clock = fakeClock();
  const collected: ('collected' | 'thoroughly')[] = [];
  const memory = { resident: 100 };
  const read = createHeapCompaction(clock, {
    resident: () => memory.resident,
    collect: () => void collected.push('collected'),
    collectThoroughly: () => void collected.push('thoroughly'),
  });
  const readMany = (count: number) => {
    for (let turn = 0; turn < count; turn += 1) read();
  };
  return { clock, collected, memory, read, readMany };
}

test('the heap is compacted after many readings, at most every five minutes, and never between request and response', () => {
  const { clock, collected, read, readMany } = start();
  readMany(2000);
  clock.advance(1000);
  expect(collected).toHaveLength(0);
  clock.advance(300_000);
  expect(collected).toHaveLength(0);
  read();
  expect(collected).toHaveLength(0);
  clock.advance(1);
  expect(collected).toEqual(['collected']);
  clock.advance(300_000);
  readMany(499);
  clock.advance(1);
  expect(collected).toHaveLength(1);
  read();
  clock.advance(1);
  expect(collected).toEqual(['collected', 'collected']);
});

test('the heap is compacted thoroughly once after it was much larger', () => {
  const { clock, collected, memory, readMany } = start();
  for (const resident of [100, 105, 190, 200, 120, 90, 110, 95]) {
    memory.resident = resident;
    clock.advance(300_000);
    readMany(500);
    clock.advance(1);
  }
  const often = (count: number) => Array.from({ length: count }, () => 'collected');
  expect(collected).toEqual([...often(4), 'thoroughly', ...often(3)] as typeof collected);
});
