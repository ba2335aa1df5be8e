import { defineAction } from '../../core/action.ts';
import type { AlertsState } from '../../core/alerts.schema.ts';
import { type AlertTest, noAlerts } from '../../core/alerts.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { AlertTestInput } from './alerts.schema.ts';

const alertsGet = defineAction<object, AlertsState>({
  name: 'alerts.get',
  description: 'Returns the state of the alerts, as the module alerts does',
  input: async () => (await import('./alerts.schema.ts')).alertsInputSchema,
  output: async () => (await import('./alerts.schema.ts')).alertsSchema,
  scopes: ['read'],
  effect: 'read',
  readAt: '/api/alerts',
  example: {},
  wire: { event: 'GET_ALERTS', reply: 'ALERTS' },
  unavailable: async () => null,
  run: async (_input, { alerts }) => ({ message: '', data: alerts?.current() ?? noAlerts }),
});

const alertsTest = defineAction<AlertTestInput, AlertTest>({
  name: 'alerts.test',
  description:
    'Sends a test message to every recipient of the rule of an alert, or to one target, and returns whether it worked',
  input: async () => (await import('./alerts.schema.ts')).alertTestInputSchema,
  output: async () => (await import('./alerts.schema.ts')).alertTestOutputSchema,
  scopes: ['admin'],
  effect: 'write',
  example: { id: 'cpu' },
  wire: { event: 'TEST_ALERT', reply: 'ALERT_TESTED' },
  unavailable: async ({ settings }) =>
    settings().alerts.rules.length + settings().alerts.targets.length === 0
      ? 'There are no alert rules yet; add one to alerts.rules in the settings'
      : null,
  async run({ id }, { alerts, signal }) {
    if (alerts === undefined) throw new ServiceError('unsupported', 'This process does not evaluate alert rules');
    const data = await alerts.test(id, signal);
    const failed = data.results.filter(({ ok }) => !ok);
    const how = `${data.results.length - failed.length} of ${data.results.length}`;
    const message =
      data.results.length === 0 ? `The rule ${id} has no notifications` : `${how} test messages were sent`;
    return { message, data };
  },
});

export const alertsActions = [alertsGet, alertsTest];
