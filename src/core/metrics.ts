import type { Host } from '../host/host.ts';
import { ServiceError } from '../lib/errors.ts';
import type { ModuleDefinition } from './module.ts';
import type { Store } from './store.ts';

/** A kind of number for systems that collect them, such as Prometheus. Counters only grow. */
export interface Metric {
  /** Base units, as in memory_size_bytes; of a counter without its _total. */
  name: string;
  type: 'counter' | 'gauge' | 'info';
  help: string;
  samples: Sample[];
}

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** How a module is seen by them. */
export interface ModuleMetrics<T> {
  read(payload: T): Metric[];
  /** What this machine tells beside the payload; it stands for what the payload says under the same name. */
  beside?(payload: T, host: Host): Promise<Metric[]>;
}

type Values =
  | number
  | boolean
  | null
  | undefined
  | readonly (readonly [Record<string, string>, number | boolean | null | undefined])[];

export const gauge = (name: string, help: string, values: Values) => metric('gauge', name, help, values);
export const counter = (name: string, help: string, values: Values) => metric('counter', name, help, values);
export const info = (name: string, help: string, labels: Record<string, string>) =>
  metric('info', name, help, [[labels, 1]]);

/** What is unknown is left out: there is no number for it. */
function metric(type: Metric['type'], name: string, help: string, values: Values): Metric {
  const pairs = values !== null && typeof values === 'object' ? values : [[{}, values] as const];
  const samples = pairs.flatMap(([labels, value]) =>
    value === null || value === undefined ? [] : [{ labels, value: Number(value) }],
  );
  return { name, type, help, samples };
}

export interface MetricsParts {
  modules: readonly ModuleDefinition[];
  store: Store;
  host: Host;
  version: string;
}

/** Everything that has a number now. Metrics of the same name are one. */
export async function collectMetrics({ modules, store, host, version }: MetricsParts): Promise<Metric[]> {
  const ofModules = await Promise.all(modules.map((definition) => metricsOf(definition, store, host)));
  const all = [info('hostler_build', 'Version of this service', { version }), ...ofModules.flat(), ...costs(store)];
  const byName = new Map<string, Metric>();
  for (const one of all) {
    if (one.samples.length === 0) continue;
    const earlier = byName.get(one.name);
    byName.set(one.name, earlier === undefined ? one : { ...earlier, samples: [...earlier.samples, ...one.samples] });
  }
  return [...byName.values()];
}

async function metricsOf({ name, metrics }: ModuleDefinition, store: Store, host: Host): Promise<Metric[]> {
  if (metrics === undefined) return [];
  try {
    const [{ payload }, { read, beside }] = await Promise.all([store.get(name), metrics()]);
    const own = ((await beside?.(payload, host)) ?? []).filter(({ samples }) => samples.length > 0);
    const names = new Set(own.map((metric) => metric.name));
    return [...own, ...read(payload).filter((metric) => !names.has(metric.name))];
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return [];
    throw error;
  }
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
