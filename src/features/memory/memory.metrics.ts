import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { counter, gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Memory } from './memory.schema.ts';

const platforms: PerPlatform<Metric[], [Memory]> = {
  linux: async () => (await import('./memory.scrape.linux.ts')).memoryMetricsLinux,
  windows: async () => (await import('./memory.scrape.windows.ts')).memoryMetricsWindows,
};

export const memoryMetrics: ModuleMetrics<Memory> = {
  beside: async (payload, host) => (await loadFor(host, platforms))?.(payload) ?? [],
  read: ({ virtual, swap }) => [
    gauge('node_memory_MemTotal_bytes', 'Physical memory', virtual.total),
    gauge('node_memory_MemFree_bytes', 'Memory not used for anything', virtual.free),
    gauge('node_memory_MemAvailable_bytes', 'Available to programs without swapping', virtual.available),
    gauge('node_memory_Buffers_bytes', 'Cache of raw block devices', virtual.buffers),
    gauge('node_memory_Active_bytes', 'Memory used recently', virtual.active),
    gauge('node_memory_Inactive_bytes', 'Memory not used recently', virtual.inactive),
    gauge('node_memory_Shmem_bytes', 'Shared memory and temporary file systems', virtual.shared),
    gauge('node_memory_SwapTotal_bytes', 'Swap space', swap.total),
    gauge('node_memory_SwapFree_bytes', 'Swap space not in use', swap.free),
    // Not node_memory_Cached_bytes: reclaimable kernel memory and the ZFS cache are in it.
    gauge('hostler_memory_cached_bytes', 'File cache, including reclaimable kernel memory', virtual.cached),
    counter('hostler_swap_in_bytes', 'Read back from swap', swap.sin),
    counter('hostler_swap_out_bytes', 'Written to swap', swap.sout),
  ],
};
