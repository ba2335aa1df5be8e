import type { AlertTest } from '../core/alerts.ts';
import type { Log } from '../lib/log.ts';

/** A notification about an alert, the same for every way. */
export interface AlertMessage {
  /** The same in each attempt, so that receivers can drop duplicates. */
  id: string;
  type: 'alert.begun' | 'alert.ended' | 'alert.test';
  /** Wall clock, when it happened. */
  at: number;
  alert: {
    id: string;
    name: string;
    condition: string;
    text: string;
    value: number | null;
    threshold: number | null;
    unit: string | null;
    /** Wall clock, when the alert began. */
    since: number;
  };
  machine: string;
  priority: AlertPriority;
}

export type AlertPriority = 'low' | 'normal' | 'high' | 'urgent';

export type AlertOutcome =
  /** `answer`: what the service said. */
  | { ok: true; answer?: string }
  /** `retry`: another attempt may succeed; `askedForMs`: the delay the receiver requested; `full`: the error with file paths, for the log. */
  | { ok: false; error: string; full?: string; retry: boolean; askedForMs: number | null };

/** `others`: messages for the same text, which only targets accept. */
export type SendAlert = (
  way: string,
  message: AlertMessage,
  signal: AbortSignal,
  others?: readonly AlertMessage[],
) => Promise<AlertOutcome>;

/** Paths appear in the log only. */
export function testResult(log: Log, id: string, way: string, outcome: AlertOutcome): AlertTest['results'][number] {
  if (outcome.ok) return { way, ok: true, error: null, answer: outcome.answer ?? '' };
  if (outcome.full !== undefined) log.warn(`alerts: the test of ${id} could not be sent to ${way}: ${outcome.full}`);
  return { way, ok: false, error: outcome.error, answer: '' };
}

/** A sentence for a screen. */
export function messageInWords({ type, alert }: AlertMessage): { title: string; text: string } {
  const { name, condition, text } = alert;
  if (type === 'alert.test') return { title: `Test: ${name}`, text: `A test of the alert "${condition}"` };
  if (type === 'alert.ended') return { title: `Over: ${name}`, text: `No longer the case: ${condition}` };
  return { title: `Alert: ${name}`, text };
}

/** The body of a webhook; docs/alerts.md describes it. */
export function webhookBody({ id, type, at, alert, machine }: AlertMessage): string {
  const { since, ...rest } = alert;
  return JSON.stringify({
    type,
    id,
    timestamp: new Date(at).toISOString(),
    data: { ...rest, since: new Date(since).toISOString(), machine },
  });
}
