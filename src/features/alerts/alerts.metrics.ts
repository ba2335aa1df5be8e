import { gauge, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { AlertsPayload } from './alerts.schema.ts';

/** What is unknown, or not watched, has no number. */
export const alertsMetrics: ModuleMetrics<AlertsPayload> = {
  read: ({ alerts }) => [
    gauge(
      'hostler_alert_active',
      'Whether the alert is active',
      alerts.map(({ id, name, state }) => [
        { id, name },
        state === 'unknown' || state === 'off' ? null : state === 'active',
      ]),
    ),
  ],
};
