import { expect, test } from 'bun:test';
import { collectReasons, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { memoryLinux, parseMemory } from './memory.linux.ts';
import { memory } from './memory.ts';

testEachMachine('linux', import.meta.dirname, memory.module, memoryLinux);

test.each([
  ['only a few lines', 'MemTotal: 1000 kB\nMemFree: 400 kB\nMemAvailable: 600 kB\nCached: 100 kB\n'],
  ['nothing', ''],
])('a table with %s leaves no null without a reason', (_, meminfo) => {
  const { reasons, collected } = collectReasons();
  const texts = { meminfo, vmstat: 'pswpin 0\npswpout 0\n', arcstats: null, pageBytes: 4096, limit: null };
  const payload = parseMemory(texts, reasons);
  expect(payload.swap.total).toBeNull();
  expect(unexplained(payload, collected)).toEqual([]);
});
