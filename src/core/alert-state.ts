import type { AlertsState } from './alerts.schema.ts';
import { type Alerts, noAlerts } from './alerts.ts';

/** The current alerts: created before their readers, and written by the alert engine. */
export interface AlertBoard extends Pick<Alerts, 'current' | 'onChange'> {
  show(state: AlertsState): void;
}

export function createAlertBoard(): AlertBoard {
  const listeners = new Set<() => void>();
  let state = noAlerts;
  return {
    current: () => state,
    onChange(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    show(next) {
      state = next;
      for (const changed of listeners) changed();
    },
  };
}
