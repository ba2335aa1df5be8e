import { readings } from '../../core/readings/readings.ts';
import { each, metricRow } from '../../core/readings/rows.ts';
import type { Updates } from './updates.schema.ts';

/** Home Assistant limits the size of attributes. */
const mostNames = 50;

type Manager = Updates['managers'][number];

const apt = ({ managers }: Updates) => managers.find(({ name }) => name === 'apt');

/** Names of node_exporter's scripts for its textfile collector, if any. */
export const updatesReadings = readings<Updates>({
  rows: [
    {
      id: 'updates',
      name: 'Updates',
      value: ({ updates }) => updates,
      entity: {
        icon: 'mdi:package-up',
        isDiagnostic: true,
        // The module system has the entity for a needed restart; the reasons are here.
        attributes: ({ managers, reboot }) => ({
          managers: Object.fromEntries(managers.map(({ name, updates }) => [name, updates])),
          packages: managers.flatMap(({ packages }) => packages.map(({ name }) => name)).slice(0, mostNames),
          restart_reasons: reboot.reasons,
        }),
      },
    },
    {
      id: 'security_updates',
      name: 'Security updates',
      value: ({ security_updates }) => security_updates,
      entity: { icon: 'mdi:package-variant-closed-plus', isDiagnostic: true },
    },
    metricRow('node_reboot_required', 'Whether a restart is needed', ({ reboot }) => reboot.required),
    each(
      (payload) => apt(payload)?.origins ?? [],
      { label: ({ origin, architecture }: Manager['origins'][number]) => ({ origin, arch: architecture }) },
      [metricRow('apt_upgrades_pending', 'Packages that apt would upgrade', ({ updates }) => updates)],
    ),
    metricRow(
      'apt_package_cache_timestamp_seconds',
      'When apt last refreshed its lists',
      (payload) => apt(payload)?.checked_at,
    ),
    each(({ managers }) => managers, { label: ({ name }: Manager) => ({ manager: name }) }, [
      metricRow('hostler_updates_pending', 'Packages that have an update', ({ updates }) => updates),
      metricRow(
        'hostler_updates_security_pending',
        'Packages that have an update for security',
        ({ security_updates }) => security_updates,
      ),
      metricRow(
        'hostler_updates_checked_timestamp_seconds',
        'When the manager last refreshed its lists',
        ({ checked_at }) => checked_at,
      ),
    ]),
  ],
  entities: { atOnce: true, takesEqual: true },
});
