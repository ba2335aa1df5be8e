import { collectMetrics, type MetricsParts } from '../../core/metrics-collector.ts';
import { ServiceError } from '../../lib/errors.ts';
import { gzip } from '../../lib/gzip.ts';
import { parseQualities, takesGzip } from '../../lib/quality-values.ts';
import { sameOriginOnly } from '../http/respond.ts';
import { metricsText, openMetrics, plainText, type TextFormat } from './openmetrics.ts';

export const metricsOff = 'Metrics are turned off; turn them on with metrics.enabled in the settings';

export type MetricsResponse = (isEnabled: boolean, headers: Headers) => Promise<Response>;

/** As long as a payload counts as current. */
const currentMs = 250;

/** Metrics for collectors. Requests share one response until it is no longer current, so that neither aborted nor frequent ones pile up. */
export function createMetricsResponse(parts: MetricsParts): MetricsResponse {
  const { clock } = parts.host;
  const underWay = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  const collect = async (format: ReturnType<typeof formatFor>, isPacked: boolean) => {
    const text = metricsText(await collectMetrics(parts), format);
    return isPacked ? gzip(text) : new TextEncoder().encode(text);
  };

  const share = (key: string, begin: () => Promise<Uint8Array<ArrayBuffer>>) => {
    const shared =
      underWay.get(key) ??
      begin().finally(() => {
        clock.after(currentMs, () => underWay.delete(key));
      });
    underWay.set(key, shared);
    return shared;
  };

  return async (isEnabled, headers) => {
    if (!isEnabled) throw new ServiceError('not_found', metricsOff);
    const format = formatFor(headers.get('accept'));
    const isPacked = takesGzip(headers.get('accept-encoding'));
    const body = await share(`${format.contentType} ${isPacked}`, () => collect(format, isPacked));
    return new Response(body, {
      headers: {
        'Content-Type': format.contentType,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        ...sameOriginOnly,
        Vary: 'Accept, Accept-Encoding',
        ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
      },
    });
  };
}

/** The format that the client prefers; OpenMetrics unless plain text has a higher quality value. */
export function formatFor(accept: string | null): TextFormat {
  const ranges = parseQualities(accept ?? '*/*');
  const likes = (...names: string[]) => Math.max(0, ...names.map((name) => ranges.get(name) ?? 0));
  const open = likes('application/openmetrics-text', 'application/*', '*/*');
  const plain = likes('text/plain', 'text/*');
  return plain > open ? plainText : openMetrics;
}
