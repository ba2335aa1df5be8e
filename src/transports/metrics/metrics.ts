import { collectMetrics, type MetricsParts } from '../../core/metrics-collector.ts';
import { ServiceError } from '../../lib/errors.ts';
import { gzip } from '../../lib/gzip.ts';
import { formatFor, takesGzip } from './accept.ts';
import { metricsText } from './openmetrics.ts';

export const metricsOff = 'Metrics are turned off; turn them on with metrics.enabled in the settings';

export type MetricsResponse = (isEnabled: boolean, asked: Headers) => Promise<Response>;

/** The answer to who collects numbers. Those who ask at the same time share one: somebody who asks and leaves, again and again, piles up nothing. */
export function createMetricsResponse(parts: MetricsParts): MetricsResponse {
  const underWay = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  const collect = async (format: ReturnType<typeof formatFor>, isPacked: boolean) => {
    const text = metricsText(await collectMetrics(parts), format);
    return isPacked ? gzip(text) : new TextEncoder().encode(text);
  };

  const share = (key: string, begin: () => Promise<Uint8Array<ArrayBuffer>>) => {
    const shared =
      underWay.get(key) ??
      begin().finally(() => {
        underWay.delete(key);
      });
    underWay.set(key, shared);
    return shared;
  };

  return async (isEnabled, asked) => {
    if (!isEnabled) throw new ServiceError('not_found', metricsOff);
    const format = formatFor(asked.get('accept'));
    const isPacked = takesGzip(asked.get('accept-encoding'));
    const body = await share(`${format.contentType} ${isPacked}`, () => collect(format, isPacked));
    return new Response(body, {
      headers: {
        'Content-Type': format.contentType,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        Vary: 'Accept, Accept-Encoding',
        ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
      },
    });
  };
}
