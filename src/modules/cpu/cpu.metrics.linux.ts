import { counter, type Metric } from '../../core/metrics.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { parseCpuStat, type Ticks } from './linux/cpu.stat.ts';

const modes = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'] as const;

/** The payload has what all systems tell; Linux tells more, and who collects it knows it in full. */
export function cpuMetricsLinux({ files }: Pick<LinuxHost, 'files'>): Metric[] {
  const stat = files.text('/proc/stat');
  if (stat === null) return [];
  const times = parseCpuStat(stat).cores.flatMap(({ id, ticks }) => secondsOf(id, ticks));
  return [counter('node_cpu_seconds', 'Seconds each core spent in each mode', times)];
}

const secondsOf = (id: number, ticks: Ticks) =>
  modes.map((mode) => [{ cpu: String(id), mode }, ticks[mode] / ticksPerSecond] as const);

const ticksPerSecond = 100;
