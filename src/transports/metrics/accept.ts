import { parseQualities } from '../../lib/quality-values.ts';
import { openMetrics, plainText, type TextFormat } from './openmetrics.ts';

/** The format that the client prefers; OpenMetrics unless plain text has a higher quality value. */
export function formatFor(accept: string | null): TextFormat {
  const ranges = parseQualities(accept ?? '*/*');
  const likes = (...names: string[]) => Math.max(0, ...names.map((name) => ranges.get(name) ?? 0));
  const open = likes('application/openmetrics-text', 'application/*', '*/*');
  const plain = likes('text/plain', 'text/*');
  return plain > open ? plainText : openMetrics;
}
