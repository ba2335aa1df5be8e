const firstMs = 5000;
const mostMs = 5 * 60_000;
/** A server that says "come back next year" is asked before that. */
const mostAskedForMs = 60 * 60_000;

/** What may come right by itself; everything else would be refused again. https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
export const isPassing = (status: number) => [429, 502, 503, 504].includes(status);

/**
 * How long to wait after so many failures in a row. `random`, 0 to 1, spreads machines that failed together: between half of the time and all of
 * it, and up to a tenth more than the server asked for.
 */
export function waitMs(failures: number, askedForMs: number | null, random: number): number {
  const own = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + random / 2);
  return askedForMs === null ? own : Math.max(own, Math.min(askedForMs, mostAskedForMs) * (1 + random / 10));
}

/** Seconds, or a date. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. null: it says nothing that makes sense. */
export function parseRetryAfter(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  // The runtime would take other numbers for dates as well.
  const date = /^\s*[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
