const firstMs = 5000;
const mostMs = 5 * 60_000;
/** Upper bound for Retry-After. */
const mostAskedForMs = 60 * 60_000;

/** Temporary errors; the others would be refused again. https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
export const isPassing = (status: number) => [429, 502, 503, 504].includes(status);

/**
 * The delay after this many failures in a row. `random`, 0 to 1, spreads machines that failed together: half to all of the delay, and up to
 * a tenth more than Retry-After.
 */
export function waitMs(failures: number, askedForMs: number | null, random: number): number {
  const own = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + random / 2);
  return askedForMs === null ? own : Math.max(own, Math.min(askedForMs, mostAskedForMs) * (1 + random / 10));
}

/** Seconds, or a date. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. null: it says nothing that makes sense. */
export function parseRetryAfter(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  // The runtime parses other numbers as dates.
  const date = /^\s*[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
