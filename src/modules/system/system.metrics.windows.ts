import { gauge, info, type Metric } from '../../core/metrics.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { System } from './system.schema.ts';

/** Under the names of windows_exporter. */
export const systemMetricsWindows = (_host: WindowsHost, system: System): Metric[] => [
  gauge('windows_system_boot_time_timestamp', 'When the machine started, Unix time', system.boot_time),
  info('windows_os', 'What system it is', { product: system.platform ?? '', version: system.kernel_version ?? '' }),
  info('windows_os_hostname', 'Names of the machine', { hostname: system.hostname ?? '', fqdn: system.fqdn ?? '' }),
];
