import { type OtlpMetric, type OtlpPoint, otlpCounter, otlpGauge, otlpSum } from '../../core/readings/otlp.ts';
import { asSum } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import type { OtlpUse } from '../../core/readings/rows.ts';
import type { Memory } from './memory.schema.ts';

const memoryState = (state: string) => statesOf('system.memory', state, 'node_memory_MemTotal_bytes');
const pagingState = (state: string) => statesOf('system.paging', state, 'node_memory_SwapTotal_bytes');

function statesOf(name: string, state: string, shareOf: string): OtlpUse[] {
  const attributes = { [`${name}.state`]: state };
  const share: OtlpUse = { name: `${name}.utilization`, unit: '1', kind: 'gauge', isWhole: false, attributes, shareOf };
  return [...asSum(`${name}.usage`, 'By', attributes), share];
}

export const memoryReadings = readings<Memory>({
  rows: [
    {
      id: 'memory_used_percent',
      name: 'Memory used',
      help: 'Share of the memory that is not available',
      unit: 'percent',
      value: ({ virtual }) => virtual.percent,
      entity: { icon: 'mdi:memory' },
      record: { name: 'memory', title: 'Memory' },
    },
    {
      id: 'memory_used',
      name: 'Memory in use',
      unit: 'bytes',
      value: ({ virtual }) => virtual.used,
      entity: { unit: 'GiB' },
    },
    {
      id: 'memory_available',
      name: 'Memory available',
      help: 'Available to programs without swapping',
      unit: 'bytes',
      value: ({ virtual }) => virtual.available,
      entity: { unit: 'GiB' },
      prometheus: 'node_memory_MemAvailable_bytes',
    },
    {
      help: 'Physical memory',
      value: ({ virtual }) => virtual.total,
      prometheus: 'node_memory_MemTotal_bytes',
      otlp: asSum('system.memory.limit', 'By'),
    },
    {
      help: 'Memory not used for anything',
      value: ({ virtual }) => virtual.free,
      prometheus: 'node_memory_MemFree_bytes',
      otlp: memoryState('free'),
    },
    {
      help: 'Cache of raw block devices',
      value: ({ virtual }) => virtual.buffers,
      prometheus: 'node_memory_Buffers_bytes',
      otlp: memoryState('buffers'),
    },
    {
      // Not node_memory_Cached_bytes: it includes reclaimable kernel memory and the ZFS cache.
      help: 'File cache, including reclaimable kernel memory',
      value: ({ virtual }) => virtual.cached,
      prometheus: 'hostler_memory_cached_bytes',
      otlp: memoryState('cached'),
    },
    {
      help: 'Memory used recently',
      value: ({ virtual }) => virtual.active,
      prometheus: 'node_memory_Active_bytes',
    },
    {
      help: 'Memory not used recently',
      value: ({ virtual }) => virtual.inactive,
      prometheus: 'node_memory_Inactive_bytes',
    },
    {
      help: 'Shared memory and temporary file systems',
      value: ({ virtual }) => virtual.shared,
      prometheus: 'node_memory_Shmem_bytes',
    },
    {
      // A machine without swap has an entity that is unknown, and no series.
      id: 'swap_used_percent',
      name: 'Swap used',
      help: 'Share of the swap space in use',
      unit: 'percent',
      value: ({ swap }) => swap.percent,
      entity: { isOff: true, isDiagnostic: true },
      record: { name: 'swap', title: 'Swap', when: ({ swap }) => Boolean(swap.total) },
    },
    { help: 'Swap space', value: ({ swap }) => swap.total, prometheus: 'node_memory_SwapTotal_bytes' },
    {
      help: 'Swap space not in use',
      value: ({ swap }) => swap.free,
      prometheus: 'node_memory_SwapFree_bytes',
      otlp: pagingState('free'),
    },
    {
      help: 'Read back from swap',
      kind: 'counter',
      value: ({ swap }) => swap.sin,
      prometheus: 'hostler_swap_in_bytes',
    },
    { help: 'Written to swap', kind: 'counter', value: ({ swap }) => swap.sout, prometheus: 'hostler_swap_out_bytes' },
  ],
  scrape: {
    linux: async () => (await import('./memory.scrape.linux.ts')).memoryMetricsLinux,
    windows: async () => (await import('./memory.scrape.windows.ts')).memoryMetricsWindows,
  },
  sampler: { linux: async () => (await import('./memory.sampler.linux.ts')).memoryHistoryLinux },
  otlp: () => ({
    metrics(found) {
      const one = (name: string) => found(name)[0]?.value ?? null;
      const count = (name: string) => one(`node_vmstat_${name}`);
      const major = count('pgmajfault');
      return [
        ...used('system.memory', one('node_memory_MemTotal_bytes'), one('node_memory_MemAvailable_bytes')),
        ...used('system.paging', one('node_memory_SwapTotal_bytes'), one('node_memory_SwapFree_bytes')),
        otlpCounter('system.paging.faults', '{fault}', [
          ...point({ 'system.paging.fault.type': 'major' }, major),
          ...point({ 'system.paging.fault.type': 'minor' }, difference(count('pgfault'), major)),
        ]),
        otlpCounter('system.paging.operations', '{operation}', [
          ...point({ 'system.paging.fault.type': 'major', 'system.paging.direction': 'in' }, count('pswpin')),
          ...point({ 'system.paging.fault.type': 'major', 'system.paging.direction': 'out' }, count('pswpout')),
        ]),
      ];
    },
  }),
});

const point = (attributes: Record<string, string>, value: number | null): OtlpPoint[] =>
  value === null ? [] : [{ attributes, value }];

function used(name: string, whole: number | null, unused: number | null): OtlpMetric[] {
  const bytes = difference(whole, unused);
  const attributes = { [`${name}.state`]: 'used' };
  const share = bytes === null || !whole ? null : bytes / whole;
  return [
    otlpSum(`${name}.usage`, 'By', point(attributes, bytes)),
    otlpGauge(`${name}.utilization`, '1', point(attributes, share)),
  ];
}

const difference = (whole: number | null, part: number | null) =>
  whole === null || part === null ? null : Math.max(0, whole - part);
