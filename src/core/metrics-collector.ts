import type { Host } from '../host/host.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { ModuleDefinition } from './module.ts';
import { counter, gauge, info, type Metric } from './readings/metrics.ts';
import type { Store } from './store.ts';

export interface MetricsParts {
  modules: readonly ModuleDefinition[];
  store: Store;
  host: Host;
  version: string;
  log: Pick<Log, 'debug'>;
}

/** All current metrics. Metrics of the same name are merged. */
export async function collectMetrics({ modules, store, host, version, log }: MetricsParts): Promise<Metric[]> {
  const collections = await Promise.all(modules.map((definition) => collect(definition, store, host, log)));
  const all = [
    info('hostler_build', 'Version of this service', { version }),
    ...collections.flatMap(({ metrics }) => metrics),
    ...effort(collections),
    ...costs(store),
  ];
  const byName = new Map<string, Metric>();
  for (const one of all) {
    if (one.samples.length === 0) continue;
    const earlier = byName.get(one.name);
    byName.set(one.name, earlier === undefined ? one : { ...earlier, samples: [...earlier.samples, ...one.samples] });
  }
  return [...byName.values()];
}

interface Collection {
  module: string;
  metrics: Metric[];
  /** Whether it gave all its metrics; null: it has none, or none now. */
  succeeded: boolean | null;
  ms: number;
}

/** A module that fails is missing in the response, which says so; the others are complete. */
async function collect(
  definition: ModuleDefinition,
  store: Store,
  host: Host,
  log: MetricsParts['log'],
): Promise<Collection> {
  const module = definition.name;
  const started = host.clock.monotonic();
  const ended = (metrics: Metric[], succeeded: boolean | null): Collection => ({
    module,
    metrics,
    succeeded,
    ms: host.clock.monotonic() - started,
  });
  if (definition.metrics === undefined) return ended([], null);
  try {
    const metrics = await metricsOf(definition.name, definition.metrics, store, host);
    return metrics === null ? ended([], null) : ended(metrics, true);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return ended([], null);
    log.debug(`metrics: ${module} could not be collected: ${messageOf(error)}`);
    return ended([], false);
  }
}

async function metricsOf(
  name: string,
  load: NonNullable<ModuleDefinition['metrics']>,
  store: Store,
  host: Host,
): Promise<Metric[] | null> {
  const metrics = await load();
  if (metrics === null) return null;
  const { read, beside, alone } = metrics;
  const whole = (await alone?.(host)) ?? null;
  if (whole !== null) return whole;
  const { payload } = await store.get(name);
  const own = ((await beside?.(payload, host)) ?? []).filter(({ samples }) => samples.length > 0);
  const names = new Set(own.map((metric) => metric.name));
  return [...own, ...read(payload).filter((metric) => !names.has(metric.name))];
}

/** The names of node_exporter; its collectors correspond to our modules. */
function effort(collections: readonly Collection[]): Metric[] {
  const tried = collections.filter(({ succeeded }) => succeeded !== null);
  return [
    gauge(
      'node_scrape_collector_duration_seconds',
      'How long it took to get the metrics of a module',
      tried.map(({ module, ms }) => [{ collector: module }, ms / 1000]),
    ),
    gauge(
      'node_scrape_collector_success',
      'Whether a module gave its metrics',
      tried.map(({ module, succeeded }) => [{ collector: module }, succeeded]),
    ),
  ];
}

function costs(store: Store): Metric[] {
  const all = store.costs();
  return [
    counter(
      'hostler_module_reads',
      'Number of times a module was read',
      all.map(({ name, reads }) => [{ module: name }, reads]),
    ),
    counter(
      'hostler_module_cpu_seconds',
      'CPU time spent reading a module',
      all.map(({ name, totalCpuMs }) => [{ module: name }, totalCpuMs / 1000]),
    ),
  ];
}
