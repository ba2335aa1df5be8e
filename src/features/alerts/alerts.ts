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
  settings: {
    alerts: {
      schema: async () => (await import('./alerts.settings.schema.ts')).alertsSettingsSchema,
      defaults: { rules: [], webhooks: [], targets: [], quiet: '' },
      after: 'screen',
      // A webhook or target sends requests from this machine, also to services that listen on loopback only, and its status is reported; its files are
      // read with the rights of the user.
      localOnly: ['webhooks', 'targets'],
      secretUrls: ['webhooks.url'],
      async check(modules) {
        const [{ createRulesCheck }, { knownHistory }] = await Promise.all([
          import('../../alerts/check-rules.ts'),
          import('../../history/series-catalogue.ts'),
        ]);
        return await createRulesCheck(modules, await knownHistory(modules));
      },
    },
  },
});
