import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { AlertsPayload } from './alerts.schema.ts';

/** The state of the alert engine; nothing is read for it. */
export const alertsSource: CreateSource<AlertsPayload> = (_host, { alerts }) => ({
  read(reasons) {
    if (alerts === undefined) {
      reasons.inherent(null, 'only a running service evaluates alert rules');
      return null;
    }
    const state = alerts.current();
    explain(state, reasons);
    return state;
  },
  ...(alerts === undefined ? {} : { watch: alerts.onChange }),
});

function explain({ alerts }: AlertsPayload, reasons: Reasons): void {
  for (const { field, sentence } of explanations)
    if (alerts.some((alert) => alert[field] === null)) reasons.inherent(`alerts[].${field}`, sentence);
  const ways = alerts.flatMap(({ notify }) => notify);
  if (ways.some(({ told }) => told === null))
    reasons.inherent('alerts[].notify[].told', 'nothing has been sent this way yet');
  if (ways.some(({ error }) => error === null)) reasons.inherent('alerts[].notify[].error', 'nothing went wrong');
}

const explanations = [
  { field: 'series', sentence: 'the rule watches an event' },
  { field: 'event', sentence: 'the rule watches a series' },
  { field: 'value', sentence: 'the rule watches something without a number, or it has not been measured' },
  { field: 'threshold', sentence: 'the rule watches something without a level' },
  { field: 'unit', sentence: 'the rule watches something without a unit' },
  { field: 'reason', sentence: 'the state of the rule is known' },
  { field: 'last_notified', sentence: 'no notification has been sent yet' },
] as const;
