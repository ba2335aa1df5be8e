import { otlpSum } from '../../core/readings/otlp.ts';
import { asCounter } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import { each, metricRow } from '../../core/readings/rows.ts';
import type { Process } from './processes.schema.ts';

export const processesReadings = readings<Process[]>({
  rows: [
    {
      id: 'processes',
      name: 'Processes',
      value: ({ length }) => length,
      entity: { isDiagnostic: true, icon: 'mdi:cog-box' },
    },
    {
      id: 'top_process',
      name: 'Busiest process',
      value: (processes) => busiestOf(processes)[0]?.name ?? null,
      entity: {
        stateClass: null,
        isOff: true,
        isDiagnostic: true,
        isOftenUnknown: true,
        attributes: (processes) => ({ processes: busiestOf(processes) }),
      },
    },
    each(
      (processes: Process[]) => [...Map.groupBy(processes, ({ status }) => status)],
      { label: ([status]) => ({ status }) },
      [metricRow('hostler_processes', 'Processes by state', ([, { length }]) => length)],
    ),
    { prometheus: 'node_forks', otlp: asCounter('system.process.created', '{process}') },
  ],
  scrape: {
    linux: async () => (await import('./linux/processes.scrape.ts')).processesMetricsLinux,
    windows: async () => (await import('./processes.scrape.windows.ts')).processesMetricsWindows,
  },
  otlp: () => ({
    metrics(found) {
      const numbers = new Map<string, number>();
      for (const { labels, value } of found('hostler_processes')) {
        const state = states[labels.status ?? ''] ?? 'sleeping';
        numbers.set(state, (numbers.get(state) ?? 0) + value);
      }
      const counts = [...numbers].map(([state, value]) => ({ attributes: { 'process.state': state }, value }));
      return [otlpSum('system.process.count', '{process}', counts)];
    },
  }),
  // Reading it is expensive, and it has only two entities.
  entities: { atMostEvery: 600 },
  // The sampler stores the busiest processes with every sample, not as series.
  sampler: { linux: async () => (await import('./linux/processes.sampler.ts')).processesHistoryLinux },
});

const busiestOf = (processes: readonly Process[]) =>
  processes
    .toSorted((one, other) => other.cpu_usage - one.cpu_usage)
    .slice(0, 5)
    .map(({ id, name, cpu_usage, memory_usage }) => ({ id, name, cpu_usage, memory_usage }));

/** The conventions have four states; all others are kinds of waiting. */
const states: Record<string, string> = {
  running: 'running',
  stopped: 'stopped',
  'tracing-stop': 'stopped',
  zombie: 'defunct',
  dead: 'defunct',
};
