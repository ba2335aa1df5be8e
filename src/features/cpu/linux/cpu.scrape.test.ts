import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { linesOf } from '../../../../test/harness/metric-lines.ts';
import { cpuMetricsLinux } from './cpu.scrape.ts';

const policy = '/sys/devices/system/cpu/cpufreq/policy0';

test('a machine with all data about its cores', () => {
  const metrics = cpuMetricsLinux({
    files: machineFiles({
      '/proc/stat':
        'cpu  3 0 0 0 0 0 0 0 0 0\ncpu0 100 2 30 4000 5 6 7 8 90 1\ncpu10 200 0 0 0 0 0 0 0 0 0\nintr 55 1 2\nctxt 66\nbtime 5\nprocesses 77\nprocs_running 3\nprocs_blocked 1\n',
      '/proc/loadavg': '0.50 0.25 0.10 1/99 4242\n',
      '/proc/pressure/io': 'some avg10=0.00 total=2500000\nfull avg10=0.00 total=1500000\n',
      '/proc/pressure/irq': 'full avg10=0.00 total=7000000\n',
      '/proc/schedstat': 'version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 2000000000 500000000 42\ndomain0 3 1 2\n',
      [`${policy}/affected_cpus`]: '0 10\n',
      [`${policy}/scaling_max_freq`]: '3600000\n',
    }),
  });
  const of = (name: string) => linesOf(metrics, name);
  expect(of('node_cpu_seconds_total')).toContain('node_cpu_seconds_total{cpu="0",mode="idle"} 40');
  expect(of('node_cpu_seconds_total')).toContain('node_cpu_seconds_total{cpu="10",mode="user"} 2');
  expect(of('node_cpu_seconds_total')).toHaveLength(16);
  expect(of('node_cpu_guest_seconds_total')).toContain('node_cpu_guest_seconds_total{cpu="0",mode="user"} 0.9');
  expect(of('node_intr_total')).toEqual(['node_intr_total 55']);
  expect(of('node_forks_total')).toEqual(['node_forks_total 77']);
  expect(of('node_procs_blocked')).toEqual(['node_procs_blocked 1']);
  expect(of('node_load5')).toEqual(['node_load5 0.25']);
  expect(of('node_pressure_io_waiting_seconds_total')).toEqual(['node_pressure_io_waiting_seconds_total 2.5']);
  expect(of('node_pressure_io_stalled_seconds_total')).toEqual(['node_pressure_io_stalled_seconds_total 1.5']);
  expect(of('node_pressure_irq_stalled_seconds_total')).toEqual(['node_pressure_irq_stalled_seconds_total 7']);
  expect(of('node_pressure_cpu_waiting_seconds_total')).toEqual([]);
  expect(of('node_schedstat_waiting_seconds_total')).toEqual(['node_schedstat_waiting_seconds_total{cpu="0"} 0.5']);
  expect(of('node_schedstat_timeslices_total')).toEqual(['node_schedstat_timeslices_total{cpu="0"} 42']);
  expect(of('node_cpu_scaling_frequency_max_hertz')).toEqual([
    'node_cpu_scaling_frequency_max_hertz{cpu="0"} 3600000000',
    'node_cpu_scaling_frequency_max_hertz{cpu="10"} 3600000000',
  ]);
  expect(of('node_cpu_scaling_frequency_min_hertz')).toEqual([]);
});

test('a machine without any of these files has no metrics', () => {
  const metrics = cpuMetricsLinux({ files: machineFiles({}) });
  expect(metrics.flatMap(({ samples }) => samples)).toEqual([]);
});
