import type { OtlpAttributes } from '../../core/readings/otlp.ts';
import type { ExportedMetric, OtlpExport } from './export.ts';
import { conventions, cumulative, scopeName } from './wire.ts';

/** The JSON form of OTLP: names in camelCase, 64-bit numbers as text. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export function encodeJson({ resource, version, atMs, metrics }: OtlpExport): string {
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeMetrics: [{ scope: { name: scopeName, version }, metrics: metrics.map((metric) => toJson(metric, atMs)) }],
        schemaUrl: conventions,
      },
    ],
  });
}

function toJson({ name, unit, kind, isWhole, points }: ExportedMetric, atMs: number) {
  const dataPoints = points.map(({ attributes, value, sinceMs }) => ({
    attributes: attributesOf(attributes),
    ...(sinceMs === null ? {} : { startTimeUnixNano: nanoseconds(sinceMs) }),
    timeUnixNano: nanoseconds(atMs),
    ...(isWhole ? { asInt: String(BigInt(Math.trunc(value))) } : { asDouble: value }),
  }));
  if (kind === 'gauge') return { name, unit, gauge: { dataPoints } };
  return { name, unit, sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: kind === 'counter' } };
}

const nanoseconds = (ms: number) => `${Math.round(ms)}000000`;

const attributesOf = (attributes: OtlpAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
