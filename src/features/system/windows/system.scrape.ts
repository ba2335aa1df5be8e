import { gauge, info, type Metric } from '../../../core/readings/metrics.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import type { System } from '../system.schema.ts';

/** With the names and labels of windows_exporter: the version of Windows 11 is 10 as well. */
export const systemMetricsWindows = (_host: WindowsHost, system: System): Metric[] => {
  const version = system.kernel_version ?? '';
  const [major_version = '', minor_version = '', build_number = ''] = version.split('.');
  const { hostname, fqdn } = { hostname: system.hostname ?? '', fqdn: system.fqdn ?? '' };
  const domain = fqdn.startsWith(`${hostname}.`) ? fqdn.slice(hostname.length + 1) : '';
  return [
    gauge('windows_system_boot_time_timestamp', 'When the machine started, Unix time', system.boot_time),
    info('windows_os', 'What system it is', {
      product: system.platform ?? '',
      version,
      major_version,
      minor_version,
      build_number,
    }),
    gauge('windows_os_hostname', 'Names of the machine', [[{ hostname, fqdn, domain }, 1]]),
  ];
};
