import { counter, type Metric } from '../../../core/readings/metrics.ts';

/** The last three columns of each core: nanoseconds that threads ran and waited there, and how often one got its turn. https://docs.kernel.org/scheduler/sched-stats.html */
export function schedulerMetrics(schedstat: string): Metric[] {
  const cores = schedstat.split('\n').flatMap((line) => {
    const [, cpu, columns] = /^cpu(\d+) (.*)$/.exec(line) ?? [];
    return cpu === undefined || columns === undefined ? [] : [{ cpu, columns: columns.split(' ').map(Number) }];
  });
  const each = (column: number, unit: number) =>
    cores.map(({ cpu, columns }) => [{ cpu }, (columns[column] ?? 0) / unit] as const);
  return [
    counter('node_schedstat_running_seconds', 'Seconds threads ran on each core', each(6, 1e9)),
    counter('node_schedstat_waiting_seconds', 'Seconds threads waited for each core', each(7, 1e9)),
    counter('node_schedstat_timeslices', 'Turns of threads on each core', each(8, 1)),
  ];
}
