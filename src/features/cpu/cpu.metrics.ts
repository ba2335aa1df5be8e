import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { counter, gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Cpu } from './cpu.schema.ts';

const platforms: PerPlatform<Metric[], [Cpu]> = {
  linux: async () => (await import('./linux/cpu.scrape.ts')).cpuMetricsLinux,
  windows: async () => (await import('./cpu.scrape.windows.ts')).cpuMetricsWindows,
};

export const cpuMetrics: ModuleMetrics<Cpu> = {
  beside: async (payload, host) => (await loadFor(host, platforms))?.(payload) ?? [],
  read(cpu) {
    const times = cpu.per_cpu.flatMap(({ id, times: { user, system, idle, interrupt } }) =>
      Object.entries({ user, system, idle, irq: interrupt }).map(
        ([mode, value]) => [{ cpu: String(id), mode }, value] as const,
      ),
    );
    return [
      counter('node_cpu_seconds', 'Seconds each core spent in each mode', times),
      gauge('node_load1', 'Processes running or waiting to run, averaged over the last minute', cpu.load_average),
      counter('node_context_switches', 'Context switches', cpu.stats.ctx_switches),
      counter('node_intr', 'Hardware interrupts', cpu.stats.interrupts),
      gauge(
        'node_cpu_scaling_frequency_hertz',
        'Current frequency of each core',
        cpu.per_cpu.map(({ id, frequency: { current } }) => [
          { cpu: String(id) },
          current === null ? null : current * 1e6,
        ]),
      ),
      gauge('hostler_cpu_usage_ratio', 'Share of time all cores were busy since the last reading', ratio(cpu.usage)),
      gauge('hostler_cpu_power_watts', 'Power draw of all processor packages', cpu.power),
      gauge('hostler_cpu_temperature_celsius', 'Temperature of the processor package', cpu.temperature),
    ];
  },
};

const ratio = (percent: number | null) => (percent === null ? null : percent / 100);
