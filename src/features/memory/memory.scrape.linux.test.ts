import { expect, test } from 'bun:test';
import { linesOf } from '../../../test/harness/metric-lines.ts';
import { meminfoMetrics, vmstatMetrics } from './memory.scrape.linux.ts';

test.each([
  ['MemTotal:       16318456 kB', 'node_memory_MemTotal_bytes', 16_710_098_944],
  ['Active(anon):       1024 kB', 'node_memory_Active_anon_bytes', 1_048_576],
  ['HugePages_Total:       3', 'node_memory_HugePages_Total', 3],
  ['VmallocTotal:   34359738367 kB', 'node_memory_VmallocTotal_bytes', 35_184_372_087_808],
])('the line "%s" is the metric %s', (line, name, value) => {
  expect(linesOf(meminfoMetrics(`${line}\n`), name)).toEqual([`${name} ${value}`]);
});

test('of the paging counters only those that indicate trouble are reported', () => {
  const metrics = vmstatMetrics('nr_free_pages 5\npgpgin 7\npgmajfault 8\noom_kill 1\npgalloc_dma 9\n');
  expect(metrics.map(({ name }) => name)).toEqual([
    'node_vmstat_pgpgin',
    'node_vmstat_pgmajfault',
    'node_vmstat_oom_kill',
  ]);
});

test('invalid lines are skipped', () => {
  expect(meminfoMetrics('nonsense\nKey: none kB\n\n')).toEqual([]);
});
