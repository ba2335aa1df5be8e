import { gauge, type Metric } from '../../core/readings/metrics.ts';
import { readings } from '../../core/readings/readings.ts';
import { each, metricRow, type OtlpUse } from '../../core/readings/rows.ts';
import type { Host } from '../../host/host.ts';
import type { ContainerEngineEntry, ContainerEntry, Containers } from './containers.schema.ts';

const mostNames = 50;
const namesOf = (list: readonly ContainerEntry[]) => ({ containers: list.slice(0, mostNames).map(({ name }) => name) });

const running = ({ containers }: Containers) => containers.filter(({ state }) => state === 'running');
const unhealthy = ({ containers }: Containers) => containers.filter(({ health }) => health === 'unhealthy');
const isUp = ({ state }: ContainerEntry) => state === 'running' || state === 'paused';

/**
 * The number of entities does not depend on the number of containers. Metrics have the names of cAdvisor where it has them:
 * https://github.com/google/cadvisor/blob/master/docs/storage/prometheus.md
 */
export const containersReadings = readings<Containers>({
  rows: [
    {
      id: 'containers_running',
      name: 'Containers running',
      value: (payload) => ifAnyEngine(payload, running(payload).length),
      entity: { icon: 'mdi:docker', attributes: (payload) => namesOf(running(payload)) },
    },
    {
      id: 'containers_total',
      name: 'Containers',
      value: (payload) => ifAnyEngine(payload, payload.containers.length),
      entity: { icon: 'mdi:docker', isDiagnostic: true, isOff: true },
    },
    {
      id: 'containers_unhealthy',
      name: 'Unhealthy containers',
      value: (payload) => ifAnyEngine(payload, unhealthy(payload).length > 0),
      entity: { deviceClass: 'problem', icon: 'mdi:docker', attributes: (payload) => namesOf(unhealthy(payload)) },
    },
    each(({ engines }) => engines, { label: ({ id }: ContainerEngineEntry) => ({ engine: id }) }, [
      metricRow('hostler_container_engine_up', 'Whether a container engine answers', ({ reachable }) => reachable),
    ]),
    each(({ containers }) => containers, { label: labelsOf }, [
      metricRow('hostler_container_running', 'Whether the container runs', ({ state }) => state === 'running'),
      metricRow(
        'hostler_container_healthy',
        'Whether the health check of the container passes; only of those that have one',
        ({ health }) => (health === null ? null : health === 'healthy'),
      ),
      metricRow('hostler_container_oom', 'Whether the container last ended for lack of memory', ({ oom }) => oom),
      metricRow('hostler_container_restarts', 'How often the engine has restarted it', ({ restarts }) => restarts),
      metricRow('container_cpu_usage_seconds', 'CPU time of the container', ({ cpu_seconds }) => cpu_seconds, {
        kind: 'counter',
        otlp: [{ ...otlpOf('cpu.time', 's', 'counter'), isWhole: false }],
      }),
      metricRow(
        'container_memory_usage_bytes',
        'Memory of the container, cache included',
        ({ memory_with_cache }) => memory_with_cache,
        { otlp: [otlpOf('memory.usage', 'By', 'sum')] },
      ),
      metricRow(
        'container_memory_working_set_bytes',
        'Memory of the container without the cache that could be dropped at once',
        ({ memory_used }) => memory_used,
        { otlp: [otlpOf('memory.working_set', 'By', 'sum')] },
      ),
      metricRow(
        'container_spec_memory_limit_bytes',
        'Most memory the container may use',
        ({ memory_limit }) => memory_limit,
      ),
      metricRow('container_network_receive_bytes', 'Bytes received', ({ network }) => network?.received_bytes, {
        kind: 'counter',
        otlp: [otlpOf('network.io', 'By', 'counter', { 'network.io.direction': 'receive' })],
      }),
      metricRow('container_network_transmit_bytes', 'Bytes sent', ({ network }) => network?.sent_bytes, {
        kind: 'counter',
        otlp: [otlpOf('network.io', 'By', 'counter', { 'network.io.direction': 'transmit' })],
      }),
      metricRow('container_fs_reads_bytes', 'Bytes read from disks', ({ disk }) => disk?.read_bytes, {
        kind: 'counter',
        otlp: [otlpOf('disk.io', 'By', 'counter', { 'disk.io.direction': 'read' })],
      }),
      metricRow('container_fs_writes_bytes', 'Bytes written to disks', ({ disk }) => disk?.written_bytes, {
        kind: 'counter',
        otlp: [otlpOf('disk.io', 'By', 'counter', { 'disk.io.direction': 'write' })],
      }),
      metricRow('container_start_time_seconds', 'When the container was started, Unix seconds', (container) =>
        isUp(container) ? container.since : null,
      ),
    ]),
  ],
  scrape: { linux: async () => lastSeen, windows: async () => lastSeen },
  entities: { atOnce: true },
  // No series: the usage of containers is available as metrics.
  history: { events: { container: 'A container of Docker failed or ran out of memory' } },
  sampler: { linux: async () => (await import('./linux/containers.sampler.ts')).containersHistoryLinux },
  problems: {
    container_failed: {
      description:
        'A container exited with an error without being stopped, ran out of memory, keeps restarting, or is unhealthy',
      // A machine without an engine has no container that could fail.
      lacks: ({ engines }) =>
        engines.length > 0 && engines.every(({ reachable }) => !reachable)
          ? (engines[0]?.problem ?? 'no container engine answers')
          : null,
      find: ({ containers }) =>
        containers.flatMap((container) => {
          const wrong = whatIsWrong(container);
          return wrong === null ? [] : [{ subject: container.name, text: `The container ${container.name} ${wrong}` }];
        }),
    },
  },
  announcesProblems: true,
});

/** undefined without an engine: then there are no entities. */
function ifAnyEngine<V>({ engines }: Containers, value: V): V | undefined {
  return engines.length === 0 ? undefined : value;
}

function labelsOf({ id, name, image, engine, compose_project, compose_service }: ContainerEntry) {
  return {
    id,
    name,
    image,
    engine,
    ...(compose_project === null ? {} : { container_label_com_docker_compose_project: compose_project }),
    ...(compose_service === null ? {} : { container_label_com_docker_compose_service: compose_service }),
  };
}

/** https://opentelemetry.io/docs/specs/semconv/system/container-metrics/ */
function otlpOf(name: string, unit: string, kind: OtlpUse['kind'], more: Record<string, string> = {}): OtlpUse {
  return {
    name: `container.${name}`,
    unit,
    kind,
    isWhole: true,
    attributes: ({ id = '', name: called = '', image = '', engine = '' }) => ({
      'container.id': id,
      'container.name': called,
      'container.image.name': image,
      'container.runtime.name': engine,
      ...more,
    }),
  };
}

function lastSeen({ clock }: Pick<Host, 'clock'>, { containers }: Containers): Metric[] {
  const now = Math.floor(clock.now() / 1000);
  return [
    gauge(
      'container_last_seen',
      'When the container was last seen running, Unix seconds',
      containers.filter(isUp).map((container) => [labelsOf(container), now] as const),
    ),
  ];
}

/** Exit codes of programs that were interrupted, killed or terminated. */
const endedByOthers = [130, 137, 143];

function whatIsWrong({ state, health, oom, exit_code }: ContainerEntry): string | null {
  if (state === 'restarting') return 'ends and is started again';
  if (state === 'running') return health === 'unhealthy' ? 'is unhealthy' : null;
  if (state !== 'exited' && state !== 'dead') return null;
  if (oom) return 'ran out of memory';
  if (exit_code === null || exit_code === 0 || endedByOthers.includes(exit_code)) return null;
  return `ended with the exit code ${exit_code}`;
}
