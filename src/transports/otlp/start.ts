import type { OtlpAttributes } from '../../core/readings/otlp.ts';
import type { TransportParts } from '../../core/transport.ts';
import { gzip } from '../../lib/gzip.ts';
import { encodeJson } from './encode-json.ts';
import type { ExportedMetric, ExportedPoint, OtlpExport } from './export.ts';
import { createExports } from './export.ts';
import { createProtobufWriter, type ProtobufWriter } from './protobuf-writer.ts';
import { type OtlpPush, startPush } from './push.ts';
import { createSend, shownUrl } from './send.ts';
import { conventions, cumulative, scopeName } from './wire.ts';

/** A busy machine may not know its name right after boot; after these attempts it exports without one. */
const unnamedPushes = 3;

export async function startOtlp({
  service,
  host,
  log,
  settings,
}: Pick<TransportParts, 'service' | 'host' | 'log' | 'settings'>): Promise<OtlpPush> {
  const { modules, store, version } = service;
  const { otlp } = settings.current();
  const { endpoint, encoding, interval, headersFile } = otlp;
  const exports = await createExports({ modules, store, host, version, log }, unnamedPushes);
  const address = shownUrl(endpoint);
  if (headersFile !== '' && isOpenToOthers(endpoint))
    log.warn(`otlp: the headers of ${headersFile} are sent to ${address} without encryption; use https`);
  log.info(`otlp: metrics are sent to ${address} every ${interval} s`);
  return startPush({
    async collect() {
      const found = await exports();
      const body = gzip(encoding === 'json' ? encodeJson(found) : encodeProtobuf(found));
      return { body, points: found.metrics.reduce((sum, { points }) => sum + points.length, 0) };
    },
    send: createSend(host, otlp),
    address,
    intervalMs: interval * 1000,
    clock: host.clock,
    log,
    random: Math.random,
  });
}

function isOpenToOthers(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * ExportMetricsServiceRequest. Field numbers: opentelemetry/proto/collector/metrics/v1/metrics_service.proto and its imports, v1 (stable).
 * The writer starts at the end, so the last field of a message comes first here.
 */
export function encodeProtobuf({ resource, version, atMs, metrics }: OtlpExport): Uint8Array<ArrayBuffer> {
  const out = createProtobufWriter();
  // resource_metrics = 1: schema_url = 3, scope_metrics = 2, resource = 1
  out.message(1, () => {
    out.text(3, conventions);
    out.message(2, () => {
      for (const metric of metrics.toReversed()) out.message(2, () => writeMetric(out, metric, nanoseconds(atMs)));
      out.message(1, () => {
        out.text(2, version);
        out.text(1, scopeName);
      });
    });
    out.message(1, () => writeAttributes(out, 1, resource));
  });
  return out.finish();
}

/** Metric: name = 1, unit = 3, gauge = 5, sum = 7; in both of these data_points = 1. */
function writeMetric(out: ProtobufWriter, { name, unit, kind, isWhole, points }: ExportedMetric, at: bigint): void {
  out.message(kind === 'gauge' ? 5 : 7, () => {
    if (kind === 'counter') out.varint(3, 1);
    if (kind !== 'gauge') out.varint(2, cumulative);
    for (const point of points.toReversed()) out.message(1, () => writePoint(out, point, isWhole, at));
  });
  out.text(3, unit);
  out.text(1, name);
}

/** NumberDataPoint: start_time_unix_nano = 2, time_unix_nano = 3, as_double = 4, as_int = 6, attributes = 7. */
function writePoint(
  out: ProtobufWriter,
  { attributes, value, sinceMs }: ExportedPoint,
  isWhole: boolean,
  at: bigint,
): void {
  writeAttributes(out, 7, attributes);
  if (isWhole) out.fixed(6, BigInt(Math.trunc(value)));
  else out.double(4, value);
  out.fixed(3, at);
  if (sinceMs !== null) out.fixed(2, nanoseconds(sinceMs));
}

/** KeyValue: key = 1, value = 2; in AnyValue string_value = 1, int_value = 3. */
function writeAttributes(out: ProtobufWriter, field: number, attributes: OtlpAttributes): void {
  for (const [key, value] of Object.entries(attributes).toReversed()) {
    out.message(field, () => {
      out.message(2, () => (typeof value === 'number' ? out.varint(3, value) : out.text(1, value)));
      out.text(1, key);
    });
  }
}

const nanoseconds = (ms: number) => BigInt(Math.round(ms)) * 1_000_000n;
