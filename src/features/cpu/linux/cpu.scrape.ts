import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';
import { frequencyLimits } from './cpu.frequency-metrics.ts';
import { pressureMetrics } from './cpu.pressure-metrics.ts';
import { statMetrics } from './cpu.stat-metrics.ts';

/** Metrics of Linux beyond the payload, which has what all systems report. */
export function cpuMetricsLinux({ files }: Pick<LinuxHost, 'files'>): Metric[] {
  const [load1, load5, load15] = (files.text('/proc/loadavg') ?? '').split(' ').map(numberIn);
  return [
    ...statMetrics(files.text('/proc/stat') ?? ''),
    gauge('node_load1', 'Processes running or waiting to run, averaged over the last minute', load1),
    gauge('node_load5', 'Processes running or waiting to run, averaged over five minutes', load5),
    gauge('node_load15', 'Processes running or waiting to run, averaged over 15 minutes', load15),
    ...pressureMetrics((resource) => files.text(`/proc/pressure/${resource}`)),
    ...schedulerMetrics(files.text('/proc/schedstat') ?? ''),
    ...frequencyLimits(files),
  ];
}

/** The last three columns of each core: nanoseconds that threads ran and waited, and timeslices. https://docs.kernel.org/scheduler/sched-stats.html */
function schedulerMetrics(schedstat: string): Metric[] {
  const cores = schedstat.split('\n').flatMap((line) => {
    const [, cpu, columns] = /^cpu(\d+) (.*)$/.exec(line) ?? [];
    return cpu === undefined || columns === undefined ? [] : [{ cpu, columns: columns.split(' ').map(Number) }];
  });
  const each = (column: number, unit: number) =>
    cores.map(({ cpu, columns }) => [{ cpu }, (columns[column] ?? 0) / unit] as const);
  return [
    counter('node_schedstat_running_seconds', 'Seconds threads ran on each core', each(6, 1e9)),
    counter('node_schedstat_waiting_seconds', 'Seconds threads waited for each core', each(7, 1e9)),
    counter('node_schedstat_timeslices', 'Timeslices run on each core', each(8, 1)),
  ];
}
