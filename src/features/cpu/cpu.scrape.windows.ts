import { counter, gauge, type Metric } from '../../core/readings/metrics.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Cpu } from './cpu.schema.ts';

/** With the names of windows_exporter; its "privileged" is all kernel time, interrupts included. */
export const cpuMetricsWindows = (_host: WindowsHost, { per_cpu, stats, count }: Cpu): Metric[] => [
  counter(
    'windows_cpu_time',
    'Seconds each core spent in each mode',
    per_cpu.flatMap(({ id, times: { user, system, idle, interrupt, dpc } }) => {
      const kernel = system === null ? null : system + (interrupt ?? 0) + (dpc ?? 0);
      return Object.entries({ user, privileged: kernel, idle, interrupt, dpc }).map(
        ([mode, value]) => [{ core: `0,${id}`, mode }, value] as const,
      );
    }),
  ),
  gauge(
    'windows_cpu_core_frequency_mhz',
    'Frequency of each core now',
    per_cpu.map(({ id, frequency }) => [{ core: `0,${id}` }, frequency.current] as const),
  ),
  gauge('windows_cpu_logical_processor', 'Logical cores', count),
  counter('windows_system_context_switches', 'Context switches', stats.ctx_switches),
  counter('windows_system_system_calls', 'System calls', stats.syscalls),
];
