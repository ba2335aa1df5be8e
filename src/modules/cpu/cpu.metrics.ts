import { counter, gauge, type ModuleMetrics } from '../../core/metrics.ts';
import type { Cpu } from './cpu.schema.ts';
import { parseStat, type Ticks } from './linux/cpu.stat.ts';

const modes = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'] as const;

export const cpuSamples: ModuleMetrics<Cpu> = {
  read(cpu, { files }) {
    // The payload has what all systems tell; Linux tells more, and who collects it knows it in full.
    const stat = files.text('/proc/stat');
    const times =
      stat === null
        ? cpu.per_cpu.flatMap(({ id, times: { user, system, idle, interrupt } }) =>
            Object.entries({ user, system, idle, irq: interrupt }).map(
              ([mode, value]) => [{ cpu: String(id), mode }, value] as const,
            ),
          )
        : parseStat(stat).cores.flatMap(({ id, ticks }) => secondsOf(id, ticks));
    return [
      counter('node_cpu_seconds', 'Seconds each core spent in each mode', times),
      gauge('node_load1', 'Processes that ran or waited to run, on average of the last minute', cpu.load_average),
      counter('node_context_switches', 'Context switches', cpu.stats.ctx_switches),
      counter('node_intr', 'Hardware interrupts', cpu.stats.interrupts),
      gauge(
        'node_cpu_scaling_frequency_hertz',
        'Frequency of each core now',
        cpu.per_cpu.map(({ id, frequency: { current } }) => [
          { cpu: String(id) },
          current === null ? null : current * 1e6,
        ]),
      ),
      gauge(
        'hostler_cpu_usage_ratio',
        'Share of the time all cores were busy since the last reading',
        ratio(cpu.usage),
      ),
      gauge('hostler_cpu_power_watts', 'Power draw of all processor packages', cpu.power),
      gauge('hostler_cpu_temperature_celsius', 'Temperature of the processor package', cpu.temperature),
    ];
  },
};

const secondsOf = (id: number, ticks: Ticks) =>
  modes.map((mode) => [{ cpu: String(id), mode }, ticks[mode] / ticksPerSecond] as const);

const ticksPerSecond = 100;
const ratio = (percent: number | null) => (percent === null ? null : percent / 100);
