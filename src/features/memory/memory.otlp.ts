import { type FoundMetrics, type ModuleOtlp, otlpCounter, otlpGauge, otlpSum } from '../../core/readings/otlp.ts';

export const memoryOtlp = (): ModuleOtlp => ({
  metrics(found) {
    const one = (name: string) => found(name)[0]?.value ?? null;
    const total = one('node_memory_MemTotal_bytes');
    const memory = byState('system.memory.state', {
      used: difference(total, one('node_memory_MemAvailable_bytes')),
      free: one('node_memory_MemFree_bytes'),
      buffers: one('node_memory_Buffers_bytes'),
      cached: one('hostler_memory_cached_bytes'),
    });
    const swapTotal = one('node_memory_SwapTotal_bytes');
    const swapFree = one('node_memory_SwapFree_bytes');
    const swap = byState('system.paging.state', { used: difference(swapTotal, swapFree), free: swapFree });
    return [
      otlpSum('system.memory.usage', 'By', memory),
      otlpSum('system.memory.limit', 'By', byState('', { '': total })),
      otlpGauge('system.memory.utilization', '1', shares(memory, total)),
      otlpSum('system.paging.usage', 'By', swap),
      otlpGauge('system.paging.utilization', '1', shares(swap, swapTotal)),
      ...paging(found),
    ];
  },
});

/** What only Linux counts. */
function paging(found: FoundMetrics) {
  const one = (name: string) => found(`node_vmstat_${name}`)[0]?.value ?? null;
  const major = one('pgmajfault');
  const operations = (direction: string, value: number | null) =>
    byState('system.paging.fault.type', { major: value }).map((point) => ({
      ...point,
      attributes: { ...point.attributes, 'system.paging.direction': direction },
    }));
  return [
    otlpCounter(
      'system.paging.faults',
      '{fault}',
      byState('system.paging.fault.type', { major, minor: difference(one('pgfault'), major) }),
    ),
    otlpCounter('system.paging.operations', '{operation}', [
      ...operations('in', one('pswpin')),
      ...operations('out', one('pswpout')),
    ]),
  ];
}

function byState(attribute: string, values: Record<string, number | null>) {
  return Object.entries(values).flatMap(([state, value]) =>
    value === null ? [] : [{ attributes: attribute === '' ? {} : { [attribute]: state }, value }],
  );
}

const shares = (points: ReturnType<typeof byState>, total: number | null) =>
  total ? points.map(({ attributes, value }) => ({ attributes, value: value / total })) : [];

const difference = (whole: number | null, part: number | null) =>
  whole === null || part === null ? null : Math.max(0, whole - part);
