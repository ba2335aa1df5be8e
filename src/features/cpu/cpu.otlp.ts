import type { Sample } from '../../core/readings/metrics.ts';
import {
  type ModuleOtlp,
  type OtlpPoint,
  otlpGauge,
  otlpPoints,
  otlpSeconds,
  otlpSum,
  otlpWholeGauge,
} from '../../core/readings/otlp.ts';

export const cpuOtlp = (): ModuleOtlp => {
  let before = new Map<string, number>();
  /** The share of each mode since the last time, of all cores together. */
  const utilization = (times: readonly Sample[]): OtlpPoint[] => {
    const now = new Map<string, number>();
    for (const { labels, value } of times) {
      const mode = modeOf(labels.mode);
      now.set(mode, (now.get(mode) ?? 0) + value);
    }
    // A core that went offline takes its time along: nothing has passed then.
    const passed = [...now].map(
      ([mode, seconds]) => [mode, Math.max(0, seconds - (before.get(mode) ?? seconds))] as const,
    );
    before = now;
    const all = passed.reduce((sum, [, seconds]) => sum + seconds, 0);
    if (all === 0) return [];
    return passed.map(([mode, seconds]) => ({ attributes: { 'cpu.mode': mode }, value: seconds / all }));
  };
  return {
    metrics(found) {
      const times = found('node_cpu_seconds');
      const cores = new Set(times.map(({ labels }) => labels.cpu)).size;
      return [
        otlpSeconds(
          'system.cpu.time',
          's',
          otlpPoints(times, ({ cpu, mode }) => ({ 'cpu.logical_number': Number(cpu), 'cpu.mode': modeOf(mode) })),
        ),
        otlpGauge('system.cpu.utilization', '1', utilization(times)),
        otlpWholeGauge(
          'system.cpu.frequency',
          'Hz',
          otlpPoints(found('node_cpu_scaling_frequency_hertz'), ({ cpu }) => ({ 'cpu.logical_number': Number(cpu) })),
        ),
        otlpSum('system.cpu.logical.count', '{cpu}', cores === 0 ? [] : [{ attributes: {}, value: cores }]),
      ];
    },
  };
};

/** The conventions have a name of their own for one mode of Linux; softirq and others stay as they are. */
const modeOf = (mode = '') => (mode === 'irq' ? 'interrupt' : mode);
