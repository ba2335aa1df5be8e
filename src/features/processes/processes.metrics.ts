import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Process } from './processes.schema.ts';

const platforms: PerPlatform<Metric[], [Process[]]> = {
  linux: async () => (await import('./linux/processes.scrape.ts')).processesMetricsLinux,
  windows: async () => (await import('./processes.scrape.windows.ts')).processesMetricsWindows,
};

export const processesMetrics: ModuleMetrics<Process[]> = {
  beside: async (payload, host) => (await loadFor(host, platforms))?.(payload) ?? [],
  read: (processes) => [
    gauge(
      'hostler_processes',
      'Processes by state',
      [...Map.groupBy(processes, ({ status }) => status)].map(([status, { length }]) => [{ status }, length]),
    ),
  ],
};
