import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
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
    {
      help: 'Whether a restart is needed',
      value: ({ reboot }) => reboot.required,
      prometheus: 'node_reboot_required',
    },
    each(
      (payload) => apt(payload)?.origins ?? [],
      { label: ({ origin, architecture }: Manager['origins'][number]) => ({ origin, arch: architecture }) },
      [
        {
          help: 'Packages that apt would upgrade',
          value: ({ updates }) => updates,
          prometheus: 'apt_upgrades_pending',
        },
      ],
    ),
    {
      help: 'When apt last refreshed its lists',
      value: (payload) => apt(payload)?.checked_at,
      prometheus: 'apt_package_cache_timestamp_seconds',
    },
    each(({ managers }) => managers, { label: ({ name }: Manager) => ({ manager: name }) }, [
      {
        help: 'Packages that have an update',
        value: ({ updates }) => updates,
        prometheus: 'hostler_updates_pending',
      },
      {
        help: 'Packages that have an update for security',
        value: ({ security_updates }) => security_updates,
        prometheus: 'hostler_updates_security_pending',
      },
      {
        help: 'When the manager last refreshed its lists',
        value: ({ checked_at }) => checked_at,
        prometheus: 'hostler_updates_checked_timestamp_seconds',
      },
    ]),
  ],
  entities: { atOnce: true, atMostEvery: 300 },
});
