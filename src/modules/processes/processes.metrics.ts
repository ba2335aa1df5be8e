import { gauge, type ModuleMetrics } from '../../core/metrics.ts';
import type { Process } from './processes.schema.ts';

export const processesMetrics: ModuleMetrics<Process[]> = {
  read: (processes) => [
    gauge(
      'hostler_processes',
      'Processes by state',
      [...Map.groupBy(processes, ({ status }) => status)].map(([status, { length }]) => [{ status }, length]),
    ),
  ],
};
