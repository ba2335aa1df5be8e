import type { ReadingPair } from './measurements.ts';
import { counted, fromModule, type GlancesPlugin, tenth } from './plugin.ts';

type CpuPair = ReadingPair<'cpu'>;

/** Kinds of time that the payload does not have, by their names in the metrics of the module. */
const kinds = ['nice', 'iowait', 'softirq', 'steal', 'guest', 'guest_nice'];

const cpu = fromModule('cpu', {}, (pair, version) => {
  const { payload } = pair.now;
  const { stats } = payload;
  const { stats: before } = pair.before.payload;
  const counters = (from: typeof stats) => ({
    ctx_switches: from.ctx_switches ?? 0,
    interrupts: from.interrupts ?? 0,
    soft_interrupts: from.soft_interrupts ?? 0,
    syscalls: from.syscalls ?? 0,
  });
  return {
    total: payload.usage,
    ...shares(payload.times_percent),
    ...kindsOf(pair, null),
    cpucore: payload.count,
    ...counted(counters(stats), counters(before), pair.seconds, version),
  };
});

const percpu = fromModule('cpu', [], (pair) => perCore(pair));

const load = fromModule('cpu', {}, (pair) => {
  const min1 = pair.now.payload.load_average;
  return min1 === null
    ? {}
    : { min1, min5: loadOf(pair, 'node_load5'), min15: loadOf(pair, 'node_load15'), cpucore: pair.now.payload.count };
});

const quicklook: GlancesPlugin = {
  needs: ['cpu', 'memory', 'gpus'],
  empty: {},
  make({ cpu: pair, memory, gpus }, version) {
    if (!pair) return undefined;
    const { usage, name, count, frequency } = pair.now.payload;
    const hertz = (megahertz: number | null) => (megahertz === null ? 0 : megahertz * 1e6);
    const shown = {
      cpu: usage,
      percpu: perCore(pair),
      mem: memory?.now.payload.virtual.percent ?? null,
      swap: memory?.now.payload.swap.percent ?? null,
      // Clients expect a text.
      cpu_name: name ?? 'CPU',
      cpu_hz_current: hertz(frequency.current),
      cpu_hz: hertz(frequency.max),
    };
    if (version === 3) return shown;
    const load15 = loadOf(pair, 'node_load15');
    const list = gpus?.now.payload ?? [];
    return {
      ...shown,
      cpu_log_core: count,
      load: load15 === null || count === null ? null : tenth((load15 / count) * 100),
      gpu_proc: average(list.map(({ core_load }) => core_load)),
      gpu_mem: average(list.map(({ memory_used, memory_total }) => memoryPercent(memory_used, memory_total))),
    };
  },
};

export const processorPlugins: Record<string, GlancesPlugin> = { quicklook, cpu, percpu, load };

export const memoryPercent = (used: number | null, total: number | null): number | null =>
  used === null || total === null || total === 0 ? null : tenth((used / total) * 100);

function perCore(pair: CpuPair) {
  return pair.now.payload.per_cpu
    .filter(({ usage }) => usage !== null)
    .map(({ id, usage, times_percent }) => ({
      key: 'cpu_number',
      cpu_number: id,
      total: usage,
      ...shares(times_percent),
      ...kindsOf(pair, String(id)),
    }));
}

const shares = ({ user, system, idle, interrupt, dpc }: CpuPair['now']['payload']['times_percent']) => ({
  user,
  system,
  idle,
  irq: interrupt,
  ...(dpc === null ? {} : { dpc }),
});

/** Percent of the time between the two readings, of one core or of all. Windows does not count these kinds. */
function kindsOf(pair: CpuPair, core: string | null): Record<string, number> {
  const grown = new Map<string, number>();
  for (const metric of ['node_cpu_seconds', 'node_cpu_guest_seconds']) {
    const before = pair.before.samples.get(metric) ?? [];
    for (const [index, { labels, value }] of (pair.now.samples.get(metric) ?? []).entries()) {
      if (core !== null && labels.cpu !== core) continue;
      const earlier = before[index];
      // The list is the same as long as no core goes offline.
      if (earlier === undefined || earlier.labels.cpu !== labels.cpu) return {};
      const kind = metric === 'node_cpu_seconds' ? labels.mode : labels.mode === 'user' ? 'guest' : 'guest_nice';
      grown.set(kind ?? '', (grown.get(kind ?? '') ?? 0) + Math.max(0, value - earlier.value));
    }
  }
  // Guest time is part of the time of programs.
  const all = [...grown].reduce((sum, [kind, seconds]) => (kind.startsWith('guest') ? sum : sum + seconds), 0);
  if (all === 0) return {};
  return Object.fromEntries(kinds.map((kind) => [kind, tenth(((grown.get(kind) ?? 0) / all) * 100)]));
}

const loadOf = ({ now }: CpuPair, metric: string): number | null => now.samples.get(metric)?.[0]?.value ?? null;

function average(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : tenth(known.reduce((sum, value) => sum + value, 0) / known.length);
}
