import type { Metric } from '../../src/core/readings/metrics.ts';
import { metricsText, plainText } from '../../src/transports/metrics/openmetrics.ts';

/** What is collected of one name, as Prometheus reads it. */
export function linesOf(metrics: readonly Metric[], name: string): string[] {
  return metricsText(metrics, plainText)
    .split('\n')
    .filter((line) => line === name || line.startsWith(`${name} `) || line.startsWith(`${name}{`));
}
