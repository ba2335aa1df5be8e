import type { AlertsState } from './alerts.schema.ts';
import { type Alerts, noAlerts } from './alerts.ts';

/** Where the alerts are shown: made before whatever reads them, and written to by whoever watches. */
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
