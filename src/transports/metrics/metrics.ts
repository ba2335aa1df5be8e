import { collectMetrics, type MetricsParts } from '../../core/metrics.ts';
import { ServiceError } from '../../lib/errors.ts';
import { openMetricsText, openMetricsType } from './openmetrics.ts';

/** The answer to who collects numbers. */
export async function metricsResponse(parts: MetricsParts, isEnabled: boolean): Promise<Response> {
  if (!isEnabled)
    throw new ServiceError('not_found', 'Metrics are turned off; turn them on with metrics.enabled in the settings');
  const headers = { 'Content-Type': openMetricsType, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  return new Response(openMetricsText(await collectMetrics(parts)), { headers });
}
