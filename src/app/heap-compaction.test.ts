import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createHeapCompaction } from './heap-compaction.ts';

function start() {
  const clock = fakeClock();
  const done: ('unmapped' | 'collected' | 'thoroughly')[] = [];
  const memory = { resident: 100 };
  const read = createHeapCompaction(clock, {
    resident: () => memory.resident,
    unmapProgram: async () => void done.push('unmapped'),
    collect: () => void done.push('collected'),
    collectThoroughly: () => void done.push('thoroughly'),
  });
  const advance = async (ms: number) => {
    clock.advance(ms);
    await Bun.sleep(0);
  };
  const readMany = (count: number) => {
    for (let turn = 0; turn < count; turn += 1) read();
  };
  return { advance, done, memory, read, readMany };
}

test('the program file is unmapped after the start, and when readings pause, at growing distances', async () => {
  const { advance, done, read } = start();
  await advance(499);
  expect(done).toHaveLength(0);
  await advance(1);
  expect(done).toEqual(['unmapped']);
  await advance(3_600_000);
  expect(done).toHaveLength(1);
  read();
  await advance(400);
  read();
  await advance(400);
  expect(done).toHaveLength(1);
  await advance(600);
  expect(done).toHaveLength(2);
  for (let second = 0; second < 3600; second += 1) {
    read();
    await advance(1000);
  }
  // After 2, 4 … 256 s, then every 300 s.
  expect(done.filter((each) => each === 'unmapped')).toHaveLength(20);
});

test('readings that never pause only delay it', async () => {
  const { advance, done, read } = start();
  for (let turn = 0; turn < 310; turn += 1) {
    read();
    await advance(100);
  }
  expect(done).toEqual(['collected', 'unmapped']);
});

test('the heap is compacted after many readings, never between request and response', async () => {
  const { advance, done, read, readMany } = start();
  readMany(99);
  await advance(1000);
  expect(done).toEqual(['unmapped']);
  await advance(1000);
  read();
  expect(done).toHaveLength(1);
  await advance(1000);
  expect(done).toEqual(['unmapped', 'collected', 'unmapped']);
});

test('the heap is compacted thoroughly once after it was much larger', async () => {
  const { advance, done, memory, readMany } = start();
  for (const resident of [100, 105, 190, 200, 120, 90, 110, 95]) {
    memory.resident = resident;
    readMany(100);
    await advance(300_000);
  }
  const collections = done.filter((each) => each !== 'unmapped');
  const often = (count: number) => Array.from({ length: count }, () => 'collected');
  expect(collections).toEqual([...often(5), 'thoroughly', ...often(2)] as typeof collections);
});
