import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { linesOf } from '../../../../test/harness/metric-lines.ts';
import { processesMetricsLinux } from './processes.scrape.ts';

test('the metrics of the own process are reported, whatever its name', () => {
  const metrics = processesMetricsLinux({
    files: machineFiles({
      '/proc/self/stat': `42 (a) b (c) S 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0 5 0 1000 0 0\n`,
      '/proc/self/status': 'Name:\ta\nVmSize:\t  2000 kB\nVmRSS:\t  100 kB\n',
      '/proc/self/limits':
        'Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 4096                 files\nMax address space         unlimited            unlimited            bytes\n',
      '/proc/self/fd/0': '',
      '/proc/self/fd/1': '',
      '/proc/stat': 'cpu  1\nbtime 1700000000\n',
      '/proc/loadavg': '0.20 0.18 0.12 1/480 100\n',
    }),
  });
  for (const line of [
    'process_cpu_seconds_total 2',
    'process_start_time_seconds 1700000010',
    'process_resident_memory_bytes 102400',
    'process_virtual_memory_bytes 2048000',
    'process_max_fds 1024',
    'process_virtual_memory_max_bytes 18446744073709552000',
    'process_open_fds 2',
    'node_processes_threads 480',
  ])
    expect(linesOf(metrics, line.split(' ')[0] ?? '')).toEqual([line]);
});
