import type { Sample } from '../../core/readings/metrics.ts';
import { type OtlpPoint, otlpGauge, otlpSum } from '../../core/readings/otlp.ts';
import { asSeconds, asWholeGauge } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
import type { Cpu, PerCpu } from './cpu.schema.ts';

const off = { isOff: true, isDiagnostic: true };

export const cpuReadings = readings<Cpu>({
  rows: [
    {
      id: 'cpu_usage',
      name: 'CPU usage',
      help: 'Share of time all cores were busy since the last reading',
      unit: 'percent',
      value: ({ usage }) => usage,
      entity: { icon: 'mdi:cpu-64-bit' },
      prometheus: { name: 'hostler_cpu_usage_ratio', scale: 0.01 },
      record: {
        name: 'cpu',
        title: 'Processor',
        description: 'Share of the time all cores were busy; cpu/0 and so on: one core',
      },
    },
    {
      id: 'cpu_temperature',
      name: 'CPU temperature',
      help: 'Temperature of the processor package',
      unit: 'celsius',
      value: ({ temperature }) => temperature,
      entity: true,
      prometheus: 'hostler_cpu_temperature_celsius',
      record: { name: 'cpu.temperature', title: 'Processor temperature' },
    },
    {
      id: 'cpu_power',
      name: 'CPU power',
      help: 'Power draw of all processor packages',
      unit: 'watts',
      value: ({ power }) => power,
      entity: true,
      prometheus: 'hostler_cpu_power_watts',
    },
    {
      id: 'cpu_frequency',
      name: 'CPU frequency',
      unit: 'megahertz',
      value: ({ frequency }) => frequency.current,
      entity: off,
    },
    { id: 'cpu_voltage', name: 'CPU voltage', unit: 'volts', value: ({ voltage }) => voltage, entity: off },
    {
      id: 'cpu_load_1m',
      name: 'CPU load (1 min)',
      help: 'Processes running or waiting to run, averaged over the last minute',
      value: ({ load_average }) => load_average,
      entity: { ...off, icon: 'mdi:gauge', digits: 2 },
      prometheus: 'node_load1',
      record: {
        name: 'load',
        title: 'Load',
        description: 'Processes that ran or waited to run, on average of the last minute',
      },
    },
    {
      help: 'Context switches',
      kind: 'counter',
      value: ({ stats }) => stats.ctx_switches,
      prometheus: 'node_context_switches',
    },
    { help: 'Hardware interrupts', kind: 'counter', value: ({ stats }) => stats.interrupts, prometheus: 'node_intr' },
    each(
      ({ per_cpu }) => per_cpu,
      { label: ({ id }) => ({ cpu: String(id) }), key: ({ id }) => String(id), device: ({ id }) => String(id) },
      [
        {
          id: 'cpu_{key}_usage',
          name: 'CPU {title} usage',
          unit: 'percent',
          value: ({ usage }) => usage,
          entity: off,
          record: { name: 'cpu', isDevice: true },
        },
        {
          help: 'Current frequency of each core',
          value: ({ frequency }) => frequency.current,
          prometheus: { name: 'node_cpu_scaling_frequency_hertz', scale: 1e6 },
          otlp: asWholeGauge('system.cpu.frequency', 'Hz', ({ cpu }) => ({ 'cpu.logical_number': Number(cpu) })),
        },
      ],
    ),
    each(({ per_cpu }) => per_cpu.flatMap(timesOf), { label: ({ cpu, mode }) => ({ cpu, mode }) }, [
      {
        help: 'Seconds each core spent in each mode',
        kind: 'counter',
        value: ({ seconds }) => seconds,
        prometheus: 'node_cpu_seconds',
        otlp: asSeconds('system.cpu.time', 's', ({ cpu, mode }) => ({
          'cpu.logical_number': Number(cpu),
          'cpu.mode': modeOf(mode),
        })),
      },
    ]),
  ],
  scrape: {
    linux: async () => (await import('./linux/cpu.scrape.ts')).cpuMetricsLinux,
    windows: async () => (await import('./cpu.scrape.windows.ts')).cpuMetricsWindows,
  },
  otlp() {
    const utilization = createUtilization();
    return {
      metrics(found) {
        const times = found('node_cpu_seconds');
        const cores = new Set(times.map(({ labels }) => labels.cpu)).size;
        return [
          otlpGauge('system.cpu.utilization', '1', utilization(times)),
          otlpSum('system.cpu.logical.count', '{cpu}', cores === 0 ? [] : [{ attributes: {}, value: cores }]),
        ];
      },
    };
  },
  history: {
    series: {
      'cpu.power': {
        unit: 'watts',
        title: 'Processor power',
        description: 'Power draw of all processor packages',
        counts: true,
      },
      'pressure.cpu': {
        unit: 'percent',
        title: 'Waiting for the processor',
        description: 'Share of the time something waited for a core',
        counts: true,
      },
      'pressure.memory': {
        unit: 'percent',
        title: 'Waiting for memory',
        description: 'Share of the time something waited for memory',
        counts: true,
      },
      'pressure.io': {
        unit: 'percent',
        title: 'Waiting for disks',
        description: 'Share of the time something waited for a disk',
        counts: true,
      },
    },
  },
  sampler: { linux: async () => (await import('./linux/cpu.sampler.ts')).cpuHistoryLinux },
});

function timesOf({ id, times: { user, system, idle, interrupt } }: PerCpu) {
  return Object.entries({ user, system, idle, irq: interrupt }).map(([mode, seconds]) => ({
    cpu: String(id),
    mode,
    seconds,
  }));
}

/** The share of each mode since the last export, over all cores. */
function createUtilization() {
  let before = new Map<string, number>();
  return (times: readonly Sample[]): OtlpPoint[] => {
    const now = new Map<string, number>();
    for (const { labels, value } of times) {
      const mode = modeOf(labels.mode);
      now.set(mode, (now.get(mode) ?? 0) + value);
    }
    // Without the time of a core that went offline the sum falls; the interval is skipped.
    const passed = [...now].map(
      ([mode, seconds]) => [mode, Math.max(0, seconds - (before.get(mode) ?? seconds))] as const,
    );
    before = now;
    const all = passed.reduce((sum, [, seconds]) => sum + seconds, 0);
    if (all === 0) return [];
    return passed.map(([mode, seconds]) => ({ attributes: { 'cpu.mode': mode }, value: seconds / all }));
  };
}

/** The conventions rename one mode of Linux; softirq and others keep their names. */
const modeOf = (mode = '') => (mode === 'irq' ? 'interrupt' : mode);
