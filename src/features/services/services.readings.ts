import { readings } from '../../core/readings/readings.ts';
import { each, metricRow, type Row } from '../../core/readings/rows.ts';
import type { Services, ServiceUnit } from './services.schema.ts';

/** Units with metrics of their own; the counts include all. */
const mostUnits = 1000;
/** Names that fit on a card of the dashboard. */
const mostNames = 20;

const failedUnits = ({ units }: Services) => units.filter(({ active_state }) => active_state === 'failed');
const failedOfUser = (payload: Services) => failedUnits(payload).filter(({ scope }) => scope === 'user').length;
/** Windows has metrics of its own; null: there is no service manager. */
const hasUnits = ({ manager }: Services) => manager !== null && manager !== 'windows';

const unitCount = (state: keyof Services['counts']): Row<Services> => ({
  help: 'Units by state',
  value: (payload) => (hasUnits(payload) ? payload.counts[state] : undefined),
  prometheus: { name: 'node_systemd_units', labels: { state } },
});

const failedIn = (scope: string, count: (payload: Services) => number): Row<Services> => ({
  help: 'Units that failed',
  value: (payload) => (payload.manager === null ? undefined : count(payload)),
  prometheus: { name: 'hostler_services_failed', labels: { scope } },
});

/** Units of the machine under the names of node_exporter's collector systemd, and of the OpenTelemetry collector's receiver for systemd. */
export const servicesReadings = readings<Services>({
  rows: [
    {
      id: 'services_failed',
      name: 'Failed services',
      value: ({ manager, counts }) => (manager === null ? undefined : counts.failed),
      entity: {
        icon: 'mdi:cog-off',
        attributes: (payload) => ({
          units: failedUnits(payload)
            .slice(0, mostNames)
            .map(({ name, scope }) => (scope === 'user' ? `${name} (user)` : name)),
        }),
      },
    },
    {
      id: 'services_problem',
      name: 'Services',
      value: ({ manager, counts }) => (manager === null ? undefined : counts.failed > 0),
      entity: { deviceClass: 'problem' },
    },
    each(
      (payload) =>
        hasUnits(payload) ? payload.units.filter(({ scope }) => scope === 'system').slice(0, mostUnits) : [],
      { label: ({ name }: ServiceUnit) => ({ name }) },
      [
        metricRow(
          {
            name: 'node_systemd_unit_state',
            // Reading the type takes a request per unit.
            labels: { type: '' },
            oneOf: ['activating', 'active', 'deactivating', 'failed', 'inactive'],
          },
          'State of each unit: 1 for the state it is in',
          ({ active_state }) => active_state,
          {
            otlp: [
              {
                name: 'systemd.unit.state',
                unit: '{unit}',
                kind: 'sum',
                isWhole: true,
                attributes: ({ name = '', state = '' }, value) =>
                  value > 0 ? { 'systemd.unit.name': name, 'systemd.unit.active_state': state } : null,
              },
            ],
          },
        ),
        metricRow(
          'node_systemd_unit_start_time_seconds',
          'When each unit that runs was started, Unix seconds',
          ({ active_state, since }) => (active_state === 'active' ? since : null),
        ),
        metricRow(
          'node_systemd_service_restart',
          'How often each service was restarted because it had ended',
          ({ restarts }) => restarts,
          {
            kind: 'counter',
            otlp: [
              {
                name: 'systemd.service.restarts',
                unit: '{restart}',
                kind: 'counter',
                isWhole: true,
                attributes: ({ name = '' }) => ({ 'systemd.unit.name': name }),
              },
            ],
          },
        ),
      ],
    ),
    ...(['active', 'inactive', 'failed', 'changing'] as const).map(unitCount),
    metricRow('node_systemd_system_running', 'Whether the machine runs without a failed unit', (payload) =>
      hasUnits(payload) ? payload.state === 'running' : undefined,
    ),
    failedIn('system', (payload) => payload.counts.failed - failedOfUser(payload)),
    failedIn('user', failedOfUser),
  ],
  scrape: { windows: async () => (await import('./windows/services.scrape.ts')).servicesMetricsWindows },
  entities: { atOnce: true },
  history: {
    sets: {
      failed: {
        kind: 'service',
        description: 'A unit failed, or is no longer failed',
        came: (name) => `${name} failed`,
        went: (name) => `${name} is no longer failed`,
      },
    },
  },
  // Other platforms have no cheap way to detect changes.
  sampler: { linux: async () => (await import('./linux/services.sampler.ts')).servicesHistoryLinux },
  problems: {
    service_failed: {
      description: 'A unit of the machine, or of the user whose service this is, has failed',
      lacks: ({ manager }) => (manager === null ? 'this machine has no known service manager' : null),
      find: (payload) =>
        failedUnits(payload).map(({ name, scope }) => ({
          subject: name,
          text: `${name}${scope === 'user' ? ' of the user' : ''} failed`,
        })),
    },
  },
  announcesProblems: true,
});
