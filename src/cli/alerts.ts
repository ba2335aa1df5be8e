import { webhookSecret } from '../alerts/webhook.ts';
import type { AlertState, AlertsState } from '../core/alerts.schema.ts';
import type { AlertTest } from '../core/alerts.ts';
import { fullMessageOf } from '../lib/errors.ts';
import { plain } from '../lib/text-table.ts';
import { timeInWords } from '../lib/units.ts';
import { openOwnSettings } from './command-settings.ts';
import type { CliContext } from './context.ts';
import { requireService } from './running-service.ts';

/** Active ones first. */
const order: AlertState['state'][] = ['active', 'pending', 'unknown', 'ok', 'off'];

export async function printAlerts(context: CliContext): Promise<void> {
  const { print, command } = context;
  const { data } = await (await requireService(context)).perform('alerts.get', {});
  // The response of this service has the form of its schema.
  const { alerts } = data as AlertsState;
  if (context.isJson) return await context.answer(data);
  if (alerts.length === 0)
    return print(
      `No alert rules are configured yet. Add a rule to alerts.rules in the settings; "${command} settings get alerts" shows them.`,
    );
  const sorted = alerts.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  context.table(
    ['ID', 'STATE', 'SINCE', 'CONDITION', 'NOW', 'NOTIFIED'],
    sorted.map(({ id, state, since, condition, text, reason, notify }) => [
      id,
      state,
      timeInWords(since),
      condition,
      text || (reason ?? '–'),
      notify.map((to) => `${to.way}: ${notified(to)}`).join(', ') || '–',
    ]),
  );
  for (const { id, notify } of sorted)
    for (const { way, error } of notify)
      if (error !== null) print(plain(`${id} could not be sent to ${way}: ${error}`));
}

/** When a message was last sent, unless one is waiting or was given up. */
function notified({ state, told }: AlertState['notify'][number]): string {
  if (state === 'waiting' || state === 'failed') return state;
  return told === null ? 'not yet' : timeInWords(told);
}

export async function testAlert(context: CliContext, id: string): Promise<void> {
  const { data } = await (await requireService(context)).perform('alerts.test', { id });
  const { results } = data as AlertTest;
  await context.answer(data, () => {
    if (results.length === 0) return context.print(`The rule ${id} has no recipients: its "notify" is empty.`);
    context.table(
      ['TO', 'RESULT'],
      results.map(({ way, error, answer }) => [way, error ?? (answer === '' ? 'sent' : `sent; it answered ${answer}`)]),
      { isWhole: true },
    );
  });
  const failed = results.filter(({ ok }) => !ok).map(({ way }) => way);
  if (failed.length > 0) throw new Error(`The test message could not be sent to ${failed.join(', ')}`);
}

/** For the owner of this machine's files alone: no other interface has it. */
export async function printWebhookSecret({ host, answer }: CliContext, webhook: string): Promise<void> {
  const settings = await openOwnSettings(host);
  const found = settings.current().alerts.webhooks.find(({ id }) => id === webhook);
  settings.close();
  if (found === undefined)
    throw new Error(`There is no webhook ${JSON.stringify(webhook)} in alerts.webhooks in the settings`);
  if (found.keyFile !== '') throw new Error(`The webhook ${webhook} is signed with the key in ${found.keyFile}`);
  const secret = await webhookSecret(host, webhook).catch((error) => {
    throw new Error(fullMessageOf(error));
  });
  await answer({ webhook, secret }, secret);
}
