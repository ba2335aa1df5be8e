import type { AlertsState } from './alerts.schema.ts';

export interface AlertTest {
  id: string;
  results: { way: string; ok: boolean; error: string | null; answer: string }[];
}

export interface Alerts {
  current(): AlertsState;
  onChange(changed: () => void): () => void;
  /** Sends a test message through each notifier of a rule, or to a target. Rejects with not_found. */
  test(id: string, signal: AbortSignal): Promise<AlertTest>;
}

export const noAlerts: AlertsState = { active: 0, alerts: [] };
