import { expect, test } from 'bun:test';
import { testEachMachine } from '../../../test/machines.ts';
import { memoryLinux, parsePageSize } from './memory.linux.ts';
import { memory } from './memory.ts';

testEachMachine(import.meta.dirname, memory, memoryLinux);

test('an auxiliary vector without a page size, or none at all, means 4 KiB', () => {
  expect(parsePageSize(null)).toBe(4096);
  expect(parsePageSize(new Uint8Array(40))).toBe(4096);
});
