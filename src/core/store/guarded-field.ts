import type { GuardedField, Source } from '../module.ts';
import type { Reason, Reasons } from '../reasons.ts';

/** The source for callers without the scope. The field is replaced here, so that neither a source nor a transport can leak it. */
export function withhold<T>(source: Source<T>, guarded: GuardedField): Source<T> {
  const { field } = guarded;
  const read = (reasons: Reasons): T | null | Promise<T | null> => {
    const others = (report: Reasons['missing']) => (named: string | null, sentence: string) => {
      if (!concerns(named, field)) report(named, sentence);
    };
    const payload = source.read({ missing: others(reasons.missing), inherent: others(reasons.inherent) });
    return payload instanceof Promise ? payload.then((landed) => blank(landed, reasons)) : blank(payload, reasons);
  };
  const blank = (payload: T | null, reasons: Reasons): T | null => {
    if (payload === null) return null;
    const { reason } = withheldReason(guarded);
    reasons.inherent(field, reason);
    return { ...payload, [field]: null };
  };
  return { ...source, read };
}

/** What callers without the scope get in place of the field. */
export const withheldReason = ({ field, scope, agents }: GuardedField): Reason => ({
  field,
  reason: `needs the scope ${scope}${agents === false ? ', and is never shown to agents' : ''}`,
  mendable: false,
});

const concerns = (named: string | null, field: string): boolean =>
  named !== null && (named === field || named.startsWith(`${field}.`) || named.startsWith(`${field}[`));
