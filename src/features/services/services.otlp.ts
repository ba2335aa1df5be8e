import { type ModuleOtlp, otlpCounter, otlpPoints, otlpSum } from '../../core/readings/otlp.ts';

/** As the collector's own receiver for systemd names them; the conventions have nothing of the kind yet. */
export const servicesOtlp = (): ModuleOtlp => ({
  metrics: (found) => [
    otlpSum(
      'systemd.unit.state',
      '{unit}',
      otlpPoints(found('node_systemd_unit_state'), ({ name = '', state = '' }) => ({
        'systemd.unit.name': name,
        'systemd.unit.active_state': state,
      })).filter(({ value }) => value > 0),
    ),
    otlpCounter(
      'systemd.service.restarts',
      '{restart}',
      otlpPoints(found('node_systemd_service_restart'), ({ name = '' }) => ({ 'systemd.unit.name': name })),
    ),
  ],
});
