import type { MetricsParts } from '../../core/metrics-collector.ts';
import { collectMetrics } from '../../core/metrics-collector.ts';
import type { FoundMetrics, OtlpAttributes, OtlpMetric, OtlpPoint } from '../../core/readings/otlp.ts';

/** Everything exported at one moment. */
export interface OtlpExport {
  resource: OtlpAttributes;
  version: string;
  atMs: number;
  metrics: ExportedMetric[];
}

export interface ExportedMetric extends Omit<OtlpMetric, 'points'> {
  points: ExportedPoint[];
}

export interface ExportedPoint extends OtlpPoint {
  /** Start of a counter or sum; null: a gauge. */
  sinceMs: number | null;
}

/**
 * Collects the current metrics on each call. Remembers the resource and the start of each counter. Rejects up to `patience` times while the
 * resource is unknown: without a name, the metrics would be attributed to another machine.
 */
export async function createExports(parts: MetricsParts, patience = 0): Promise<() => Promise<OtlpExport>> {
  const { modules, host, version } = parts;
  const loaded = await Promise.all(modules.map(async ({ otlp }) => (await otlp?.())?.()));
  const naming = loaded.filter((one) => one !== undefined);
  const begun = createBeginnings();
  const identity: OtlpAttributes = {};
  let tried = 0;
  return async () => {
    const samples = new Map((await collectMetrics(parts)).map((metric) => [metric.name, metric.samples]));
    const found: FoundMetrics = (name) => samples.get(name) ?? [];
    const atMs = host.clock.now();
    const metrics = joined(naming.flatMap((module) => module.metrics(found, atMs)));
    const resource: OtlpAttributes = {
      'service.name': 'hostler',
      'service.version': version,
      'host.arch': architectureOf(host.environment.machine),
      ...(host.platform === null ? {} : { 'os.type': host.platform }),
    };
    // The resource stays the same when its module does not answer in time.
    for (const module of naming) Object.assign(identity, module.resource?.(found));
    if (Object.keys(identity).length === 0 && tried++ < patience)
      throw new Error('the system module has not identified this machine yet');
    const beganMs = naming.map((module) => module.beganMs?.(found) ?? null).find((began) => began !== null) ?? null;
    return { resource: { ...resource, ...identity }, version, atMs, metrics: begun(metrics, beganMs, atMs) };
  };
}

/** Merges metrics of one name and drops duplicate points and values that are not numbers. */
function joined(metrics: readonly OtlpMetric[]): OtlpMetric[] {
  const byName = new Map<string, OtlpMetric & { said: Set<string> }>();
  for (const metric of metrics) {
    const one = byName.get(metric.name) ?? { ...metric, points: [], said: new Set<string>() };
    byName.set(metric.name, one);
    for (const point of metric.points) {
      const series = JSON.stringify(point.attributes);
      if (!Number.isFinite(point.value) || one.said.has(series)) continue;
      one.said.add(series);
      one.points.push(point);
    }
  }
  return [...byName.values()].filter(({ points }) => points.length > 0);
}

/**
 * A counter starts at boot, or, if its value fell, after the last export: a driver was reloaded or an interface recreated.
 * Otherwise its start never moves, even if the wall clock is set.
 */
function createBeginnings() {
  let known = new Map<string, { value: number; sinceMs: number }>();
  let firstMs: number | null = null;
  let lastMs: number | null = null;
  return (metrics: OtlpMetric[], boot: number | null, atMs: number): ExportedMetric[] => {
    firstMs ??= boot ?? atMs;
    const now: typeof known = new Map();
    const exported = metrics.map((metric) => ({
      ...metric,
      points: metric.points.map((point): ExportedPoint => {
        if (metric.kind !== 'counter') return { ...point, sinceMs: metric.kind === 'sum' ? firstMs : null };
        const series = `${metric.name} ${JSON.stringify(point.attributes)}`;
        const earlier = known.get(series);
        const isAnew = earlier !== undefined && point.value < earlier.value;
        const sinceMs = isAnew ? (lastMs ?? atMs) : (earlier?.sinceMs ?? firstMs ?? atMs);
        now.set(series, { value: point.value, sinceMs });
        return { ...point, sinceMs };
      }),
    }));
    known = now;
    lastMs = atMs;
    return exported;
  };
}

/** https://opentelemetry.io/docs/specs/semconv/registry/attributes/host/ */
function architectureOf(machine: string): string {
  const known: Record<string, string> = {
    x86_64: 'amd64',
    aarch64: 'arm64',
    ppc64le: 'ppc64',
    i686: 'x86',
    i386: 'x86',
  };
  return known[machine] ?? (machine.startsWith('arm') && machine !== 'arm64' ? 'arm32' : machine);
}
