import { gauge, type Metric } from '../../core/readings/metrics.ts';
import { readings } from '../../core/readings/readings.ts';
import { each, type OtlpUse } from '../../core/readings/rows.ts';
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
      {
        help: 'Whether a container engine answers',
        value: ({ reachable }) => reachable,
        prometheus: 'hostler_container_engine_up',
      },
    ]),
    each(({ containers }) => containers, { label: labelsOf }, [
      {
        help: 'Whether the container runs',
        value: ({ state }) => state === 'running',
        prometheus: 'hostler_container_running',
      },
      {
        help: 'Whether the health check of the container passes; only of those that have one',
        value: ({ health }) => (health === null ? null : health === 'healthy'),
        prometheus: 'hostler_container_healthy',
      },
      {
        help: 'Whether the container last ended for lack of memory',
        value: ({ oom }) => oom,
        prometheus: 'hostler_container_oom',
      },
      {
        help: 'How often the engine has restarted it',
        value: ({ restarts }) => restarts,
        prometheus: 'hostler_container_restarts',
      },
      {
        help: 'CPU time of the container',
        kind: 'counter',
        value: ({ cpu_seconds }) => cpu_seconds,
        prometheus: 'container_cpu_usage_seconds',
        otlp: [{ ...otlpOf('cpu.time', 's', 'counter'), isWhole: false }],
      },
      {
        help: 'Memory of the container, cache included',
        value: ({ memory_with_cache }) => memory_with_cache,
        prometheus: 'container_memory_usage_bytes',
        otlp: [otlpOf('memory.usage', 'By', 'sum')],
      },
      {
        help: 'Memory of the container without the cache that could be dropped at once',
        value: ({ memory_used }) => memory_used,
        prometheus: 'container_memory_working_set_bytes',
        otlp: [otlpOf('memory.working_set', 'By', 'sum')],
      },
      {
        help: 'Most memory the container may use',
        value: ({ memory_limit }) => memory_limit,
        prometheus: 'container_spec_memory_limit_bytes',
      },
      {
        help: 'Bytes received',
        kind: 'counter',
        value: ({ network }) => network?.received_bytes,
        prometheus: 'container_network_receive_bytes',
        otlp: [otlpOf('network.io', 'By', 'counter', { 'network.io.direction': 'receive' })],
      },
      {
        help: 'Bytes sent',
        kind: 'counter',
        value: ({ network }) => network?.sent_bytes,
        prometheus: 'container_network_transmit_bytes',
        otlp: [otlpOf('network.io', 'By', 'counter', { 'network.io.direction': 'transmit' })],
      },
      {
        help: 'Bytes read from disks',
        kind: 'counter',
        value: ({ disk }) => disk?.read_bytes,
        prometheus: 'container_fs_reads_bytes',
        otlp: [otlpOf('disk.io', 'By', 'counter', { 'disk.io.direction': 'read' })],
      },
      {
        help: 'Bytes written to disks',
        kind: 'counter',
        value: ({ disk }) => disk?.written_bytes,
        prometheus: 'container_fs_writes_bytes',
        otlp: [otlpOf('disk.io', 'By', 'counter', { 'disk.io.direction': 'write' })],
      },
      {
        help: 'When the container was started, Unix seconds',
        value: (container) => (isUp(container) ? container.since : null),
        prometheus: 'container_start_time_seconds',
      },
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
