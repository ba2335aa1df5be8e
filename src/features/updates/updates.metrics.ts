import { gauge, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Updates } from './updates.schema.ts';

/** The names of node_exporter's collection of scripts for its textfile collector, where it has one. */
export const updatesMetrics: ModuleMetrics<Updates> = {
  read({ managers, reboot }) {
    const apt = managers.find(({ name }) => name === 'apt');
    return [
      gauge('node_reboot_required', 'Whether a restart is needed', reboot.required),
      gauge(
        'apt_upgrades_pending',
        'Packages that apt would upgrade',
        apt?.origins.map(({ origin, architecture, updates }) => [{ origin, arch: architecture }, updates]),
      ),
      gauge('apt_package_cache_timestamp_seconds', 'When apt last refreshed its lists', apt?.checked_at),
      gauge(
        'hostler_updates_pending',
        'Packages that have an update',
        managers.map(({ name, updates }) => [{ manager: name }, updates]),
      ),
      gauge(
        'hostler_updates_security_pending',
        'Packages that have an update for security',
        managers.map(({ name, security_updates }) => [{ manager: name }, security_updates]),
      ),
      gauge(
        'hostler_updates_checked_timestamp_seconds',
        'When the manager last refreshed its lists',
        managers.map(({ name, checked_at }) => [{ manager: name }, checked_at]),
      ),
    ];
  },
};
