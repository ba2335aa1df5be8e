import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { counter, gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { NetworkInterface, Networks } from './networks.schema.ts';

const platforms: PerPlatform<Promise<Metric[]>> = {
  linux: async () => (await import('./linux/networks.scrape.ts')).networksMetricsLinux,
};

/** What is told beside the payload, where the payload has the rest. */
const besidePlatforms: PerPlatform<Promise<Metric[]>> = {
  windows: async () => (await import('./windows/networks.scrape.ts')).networksMetricsWindows,
};

export const networksMetrics: ModuleMetrics<Networks> = {
  alone: async (host) => (await loadFor(host, platforms))?.() ?? null,
  beside: async (_payload, host) => (await loadFor(host, besidePlatforms))?.() ?? [],
  read({ networks, connections }) {
    const states = (value: (stats: NetworkInterface['stats']) => number | boolean | null) =>
      networks.map(({ name, stats }) => [{ device: name }, value(stats)] as const);
    const byStatus = Map.groupBy(connections, ({ status }) => status);
    return [
      gauge(
        'node_network_mtu_bytes',
        'Largest packet (MTU)',
        states(({ mtu }) => mtu),
      ),
      gauge(
        'node_network_speed_bytes',
        'Link speed, bytes per second',
        states(({ speed }) => speed && speed * 125_000),
      ),
      gauge(
        'hostler_network_up',
        'Whether an interface is up and has a link',
        states(({ isup }) => isup),
      ),
      counter(
        'node_network_receive_bytes',
        'Bytes received',
        networks.map(({ name, io }) => [{ device: name }, io?.bytes_recv]),
      ),
      counter(
        'node_network_transmit_bytes',
        'Bytes sent',
        networks.map(({ name, io }) => [{ device: name }, io?.bytes_sent]),
      ),
      gauge(
        'hostler_connections',
        'TCP and UDP sockets by state',
        [...byStatus].map(([status, { length }]) => [{ status }, length]),
      ),
    ];
  },
};
