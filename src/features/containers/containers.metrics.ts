import { counter, gauge, type Metric, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { ContainerEntry, Containers } from './containers.schema.ts';

/** Under the names of cAdvisor, where it has them. https://github.com/google/cadvisor/blob/master/docs/storage/prometheus.md */
export const containersMetrics: ModuleMetrics<Containers> = {
  async beside({ containers }, { clock }): Promise<Metric[]> {
    const now = Math.floor(clock.now() / 1000);
    return [
      gauge(
        'container_last_seen',
        'When the container was last seen running, Unix seconds',
        containers.filter(isUp).map((container) => [labelsOf(container), now] as const),
      ),
    ];
  },
  read({ engines, containers }) {
    const each = (value: (container: ContainerEntry) => number | null | undefined) =>
      containers.map((container) => [labelsOf(container), value(container)] as const);
    return [
      gauge(
        'hostler_container_engine_up',
        'Whether a container engine answers',
        engines.map(({ id, reachable }) => [{ engine: id }, reachable] as const),
      ),
      gauge(
        'hostler_container_running',
        'Whether the container runs',
        each(({ state }) => Number(state === 'running')),
      ),
      gauge(
        'hostler_container_healthy',
        'Whether the health check of the container passes; only of those that have one',
        each(({ health }) => (health === null ? null : Number(health === 'healthy'))),
      ),
      gauge(
        'hostler_container_oom',
        'Whether the container last ended for lack of memory',
        each(({ oom }) => Number(oom)),
      ),
      gauge(
        'hostler_container_restarts',
        'How often the engine has restarted it',
        each(({ restarts }) => restarts),
      ),
      counter(
        'container_cpu_usage_seconds',
        'CPU time of the container',
        each(({ cpu_seconds }) => cpu_seconds),
      ),
      gauge(
        'container_memory_usage_bytes',
        'Memory of the container, cache included',
        each(({ memory_with_cache }) => memory_with_cache),
      ),
      gauge(
        'container_memory_working_set_bytes',
        'Memory of the container without the cache that could be dropped at once',
        each(({ memory_used }) => memory_used),
      ),
      gauge(
        'container_spec_memory_limit_bytes',
        'Most memory the container may use',
        each(({ memory_limit }) => memory_limit),
      ),
      counter(
        'container_network_receive_bytes',
        'Bytes received',
        each(({ network }) => network?.received_bytes),
      ),
      counter(
        'container_network_transmit_bytes',
        'Bytes sent',
        each(({ network }) => network?.sent_bytes),
      ),
      counter(
        'container_fs_reads_bytes',
        'Bytes read from disks',
        each(({ disk }) => disk?.read_bytes),
      ),
      counter(
        'container_fs_writes_bytes',
        'Bytes written to disks',
        each(({ disk }) => disk?.written_bytes),
      ),
      gauge(
        'container_start_time_seconds',
        'When the container was started, Unix seconds',
        each((container) => (isUp(container) ? container.since : null)),
      ),
    ];
  },
};

const isUp = ({ state }: ContainerEntry) => state === 'running' || state === 'paused';

const labelsOf = ({ id, name, image, engine, compose_project, compose_service }: ContainerEntry) => ({
  id,
  name,
  image,
  engine,
  ...(compose_project === null ? {} : { container_label_com_docker_compose_project: compose_project }),
  ...(compose_service === null ? {} : { container_label_com_docker_compose_service: compose_service }),
});
