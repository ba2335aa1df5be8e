import { createListeners } from '../lib/listeners.ts';
import type { AlertsState } from './alerts.schema.ts';
import { type Alerts, noAlerts } from './alerts.ts';

/** The current alerts: created before their readers, and written by the alert engine. */
export interface AlertBoard extends Pick<Alerts, 'current' | 'onChange'> {
  show(state: AlertsState): void;
}

export function createAlertBoard(): AlertBoard {
  const listeners = createListeners();
  let state = noAlerts;
  return {
    current: () => state,
    onChange: listeners.add,
    show(next) {
      state = next;
      listeners.announce();
    },
  };
}
