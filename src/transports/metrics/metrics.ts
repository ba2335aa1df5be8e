import { collectMetrics, type MetricsParts } from '../../core/collect-metrics.ts';
import { ServiceError } from '../../lib/errors.ts';
import { gzip } from '../../lib/gzip.ts';
import { formatFor, takesGzip } from './accept.ts';
import { metricsText } from './openmetrics.ts';

export const metricsOff = 'Metrics are turned off; turn them on with metrics.enabled in the settings';

/** The answer to who collects numbers. */
export async function metricsResponse(parts: MetricsParts, isEnabled: boolean, asked: Headers): Promise<Response> {
  if (!isEnabled) throw new ServiceError('not_found', metricsOff);
  const format = formatFor(asked.get('accept'));
  const text = metricsText(await collectMetrics(parts), format);
  const headers = {
    'Content-Type': format.contentType,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept, Accept-Encoding',
  };
  if (!takesGzip(asked.get('accept-encoding'))) return new Response(text, { headers });
  return new Response(gzip(text), { headers: { ...headers, 'Content-Encoding': 'gzip' } });
}
