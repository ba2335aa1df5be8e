import { gauge, type Metric } from '../../core/readings/metrics.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Memory } from './memory.schema.ts';

/** With the names of windows_exporter. */
export const memoryMetricsWindows = (_host: WindowsHost, { virtual, swap }: Memory): Metric[] => [
  gauge('windows_memory_physical_total_bytes', 'Physical memory', virtual.total),
  gauge('windows_memory_physical_free_bytes', 'What programs can still get', virtual.free),
  gauge('windows_memory_available_bytes', 'What programs can still get without paging', virtual.available),
  gauge('windows_memory_cache_bytes', 'Cache of files', virtual.cached),
  gauge('windows_pagefile_limit_bytes', 'Size of the page files', swap.total),
  gauge('windows_pagefile_free_bytes', 'What of the page files is free', swap.free),
];
