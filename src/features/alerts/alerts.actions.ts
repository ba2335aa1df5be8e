import { type ActionContext, defineAction } from '../../core/action.ts';
import type { AlertsState } from '../../core/alerts.schema.ts';
import { type AlertTest, noAlerts } from '../../core/alerts.ts';
import { isLocal, shareIdOf, shownAddress } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { AlertAddInput, AlertAddOutput, AlertRemoveInput, AlertTargets, AlertTestInput } from './alerts.schema.ts';

const changeTargets = () => import('../../alerts/targets/change-targets.ts');

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

const alertsTargets = defineAction<object, AlertTargets>({
  name: 'alerts.targets',
  description: 'Returns the services that receive alerts, without the secret parts of their URLs',
  input: async () => (await import('./alerts.schema.ts')).alertsInputSchema,
  output: async () => (await import('./alerts.schema.ts')).alertTargetsOutputSchema,
  scopes: ['admin'],
  effect: 'read',
  readAt: '/api/alerts/targets',
  example: {},
  wire: { event: 'GET_ALERT_TARGETS', reply: 'ALERT_TARGETS' },
  unavailable: async () => null,
  async run(_input, { host, settings, caller }) {
    const targets = await (await changeTargets()).listTargets(host, settings().alerts);
    return { message: '', data: { changeable: await isLocal(caller), targets } };
  },
});

const alertsAdd = defineAction<AlertAddInput, AlertAddOutput>({
  name: 'alerts.add',
  description: 'Adds a service that receives alerts, or replaces its URL; only on the machine itself',
  input: async () => (await import('./alerts.schema.ts')).alertAddInputSchema,
  output: async () => (await import('./alerts.schema.ts')).alertAddOutputSchema,
  scopes: ['admin'],
  effect: 'write',
  example: { id: 'phone', url: 'ntfys://ntfy.sh/TOPIC' },
  wire: { event: 'ADD_ALERT_TARGET', reply: 'ALERT_TARGET_ADDED' },
  unavailable: async () => null,
  async run({ id, url }, context) {
    const { host, settings, changeSettings, caller, keep } = context;
    // A new URL changes no setting, which would be refused.
    if (!(await isLocal(caller)))
      throw new ServiceError('forbidden', 'Targets of alerts can be changed only on the machine itself');
    const { openAlertTarget, shownTarget } = await import('../../alerts/targets/targets.ts');
    const opened = await openAlertTarget(url).catch((error) => {
      throw new ServiceError('invalid', messageOf(error));
    });
    const { addTarget } = await changeTargets();
    const save = (targets: object[]) => changeSettings({ alerts: { targets } }, caller);
    await keep(changes).run(shareIdOf(caller), () => addTarget(host, settings().alerts.targets, { id, url }, save));
    note(context, `set the target ${id}`);
    return { message: `Alerts can be sent to ${id}`, data: { id, url: shownTarget(opened) } };
  },
});

const alertsRemove = defineAction<AlertRemoveInput, AlertRemoveInput>({
  name: 'alerts.remove',
  description: 'Removes a service that receives alerts, and its URL; only on the machine itself',
  input: async () => (await import('./alerts.schema.ts')).alertRemoveInputSchema,
  output: async () => (await import('./alerts.schema.ts')).alertRemoveInputSchema,
  scopes: ['admin'],
  effect: 'write',
  example: { id: 'phone' },
  wire: { event: 'REMOVE_ALERT_TARGET', reply: 'ALERT_TARGET_REMOVED' },
  unavailable: async () => null,
  async run({ id }, context) {
    const { host, settings, changeSettings, caller, keep } = context;
    const { removeTarget } = await changeTargets();
    const save = (targets: object[]) => changeSettings({ alerts: { targets } }, caller);
    await keep(changes).run(shareIdOf(caller), () => removeTarget(host, settings().alerts.targets, id, save));
    note(context, `removed the target ${id}`);
    return { message: `The target ${id} and its URL were removed`, data: { id } };
  },
});

const note = ({ caller, log }: ActionContext, what: string) =>
  log.info(`alerts: ${caller.tokenName} at ${shownAddress(caller.connection().address)} ${what}`);

/** One at a time: each writes the whole list. */
const changes = () => createPlaces(1, 'The targets of alerts are being changed; try again');

export const alertsActions = [alertsGet, alertsTest, alertsTargets, alertsAdd, alertsRemove];
