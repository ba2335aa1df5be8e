import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { gauge, info, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { System } from './system.schema.ts';

const platforms: PerPlatform<Metric[] | Promise<Metric[]>, [System]> = {
  linux: async () => (await import('./linux/system.scrape.ts')).systemMetricsLinux,
  windows: async () => (await import('./windows/system.scrape.ts')).systemMetricsWindows,
};

export const systemMetrics: ModuleMetrics<System> = {
  beside: async (payload, host) => (await loadFor(host, platforms))?.(payload) ?? [],
  read: ({
    boot_time,
    users,
    pending_reboot,
    power_usage,
    hostname,
    platform,
    platform_version,
    kernel_version,
    uuid,
  }) => [
    gauge('node_boot_time_seconds', 'When the machine started, Unix time', boot_time),
    gauge('hostler_users', 'User sessions', users.length),
    gauge('hostler_pending_reboot', 'Whether a restart would complete an update', pending_reboot),
    gauge('hostler_power_watts', 'Power draw of the whole machine', power_usage),
    info('hostler_machine', 'Identity of the machine', {
      hostname: hostname ?? '',
      platform: platform ?? '',
      platform_version,
      kernel: kernel_version ?? '',
      uuid: uuid ?? '',
    }),
  ],
};
