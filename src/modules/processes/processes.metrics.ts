import { gauge, type Metric, type ModuleMetrics } from '../../core/metrics.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Process } from './processes.schema.ts';

const platforms: PerPlatform<Metric[]> = {
  linux: async () => (await import('./processes.metrics.linux.ts')).processesMetricsLinux,
};

export const processesMetrics: ModuleMetrics<Process[]> = {
  beside: async (_payload, host) => (await loadFor(host, platforms))?.() ?? [],
  read: (processes) => [
    gauge(
      'hostler_processes',
      'Processes by state',
      [...Map.groupBy(processes, ({ status }) => status)].map(([status, { length }]) => [{ status }, length]),
    ),
  ],
};
