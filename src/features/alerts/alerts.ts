import { defineFeature } from '../../core/feature.ts';
import { alertsActions } from './alerts.actions.ts';
import type { AlertsPayload } from './alerts.schema.ts';

const source = async () => (await import('./alerts.source.ts')).alertsSource;

export const alerts = defineFeature<AlertsPayload>({
  name: 'alerts',
  title: 'Alerts',
  module: {
    description: 'The rules of the settings that watch this machine, and which of them are active',
    schema: async () => (await import('./alerts.schema.ts')).alertsSchema,
    everyMs: 60_000,
    empty: { active: 0, alerts: [] },
    readings: async () => (await import('./alerts.readings.ts')).alertsReadings,
    sources: { linux: source, windows: source, darwin: source },
  },
  actions: alertsActions,
});
