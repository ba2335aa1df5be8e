import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { counter, gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Services, ServiceUnit } from './services.schema.ts';

/** Five numbers each: a machine with more has their sum, and those that failed. */
const mostUnits = 1000;
const platforms: PerPlatform<Metric[], [Services]> = {
  windows: async () => (await import('./windows/services.scrape.ts')).servicesMetricsWindows,
};
const unitStates = ['activating', 'active', 'deactivating', 'failed', 'inactive'] as const;

/** As node_exporter's collector systemd names them, of the units of the machine; `type` of node_systemd_unit_state is empty, as nobody asks each unit for it. */
export const servicesMetrics: ModuleMetrics<Services> = {
  beside: async (payload, host) => (await loadFor(host, platforms))?.(payload) ?? [],
  read({ manager, state, counts, units }) {
    if (manager === null) return [];
    if (manager === 'windows') return [failed(counts.failed, 0)];
    const ofUser = units.filter(({ scope, active_state }) => scope === 'user' && active_state === 'failed').length;
    const ours = units.filter(({ scope }) => scope === 'system').slice(0, mostUnits);
    const each = (value: (unit: ServiceUnit) => number | null) =>
      ours.map((unit) => [{ name: unit.name }, value(unit)] as const);
    return [
      gauge(
        'node_systemd_unit_state',
        'State of each unit: 1 for the state it is in',
        ours.flatMap(({ name, active_state }) =>
          unitStates.map((state) => [{ name, state, type: '' }, state === active_state] as const),
        ),
      ),
      gauge('node_systemd_units', 'Units by state', [
        [{ state: 'active' }, counts.active],
        [{ state: 'inactive' }, counts.inactive],
        [{ state: 'failed' }, counts.failed],
        [{ state: 'changing' }, counts.changing],
      ]),
      gauge(
        'node_systemd_unit_start_time_seconds',
        'When each unit that runs was started, Unix seconds',
        each(({ active_state, since }) => (active_state === 'active' ? since : null)),
      ),
      gauge('node_systemd_system_running', 'Whether the machine runs without a failed unit', state === 'running'),
      counter(
        'node_systemd_service_restart',
        'How often each service was restarted because it had ended',
        each(({ restarts }) => restarts),
      ),
      failed(counts.failed - ofUser, ofUser),
    ];
  },
};

const failed = (ofSystem: number, ofUser: number) =>
  gauge('hostler_services_failed', 'Units that failed', [
    [{ scope: 'system' }, ofSystem],
    [{ scope: 'user' }, ofUser],
  ]);
