import type { ModulePayloads } from '@hostler/client/events.ts';
import { fromModule, type GlancesPlugin } from './plugin.ts';

type Process = ModulePayloads['processes'][number];
type Container = ModulePayloads['containers']['containers'][number];

const processcount = fromModule('processes', {}, ({ now }) => {
  const inState = (...states: string[]) => now.payload.filter(({ status }) => states.includes(status)).length;
  return {
    total: now.payload.length,
    running: inState('running'),
    sleeping: inState('sleeping'),
    thread: now.samples.get('node_processes_threads')?.[0]?.value ?? null,
    // 0 in Glances as well, unless its configuration asks for it.
    pid_max: 0,
  };
});

/** The busiest first: clients show the first few. */
const processlist: GlancesPlugin = {
  needs: ['processes', 'memory'],
  empty: [],
  make({ processes, memory }, version) {
    const total = memory?.now.payload.virtual.total ?? null;
    return processes?.now.payload
      .toSorted((one, other) => other.cpu_usage - one.cpu_usage)
      .map((process) => toProcess(process, total, version));
  },
};

/** Glances leaves them out; a client that shows their memory would show no number. */
const stopped: ReadonlySet<Container['state']> = new Set(['created', 'exited', 'dead']);

/** The busiest first, as Glances sorts them. */
const containers = fromModule('containers', [], ({ now }, version) => {
  const engines = new Map(now.payload.engines.map(({ id, name }) => [id, name]));
  const list = now.payload.containers
    .filter(({ state }) => !stopped.has(state))
    .toSorted((one, other) => (other.cpu_usage ?? 0) - (one.cpu_usage ?? 0))
    .map((container) => toContainer(container, engines.get(container.engine) ?? container.engine, version));
  return version === 4 ? list : { containers: list, version: {}, version_podman: {} };
});

export const processPlugins: Record<string, GlancesPlugin> = { processlist, processcount, containers };

function toProcess(process: Process, total: number | null, version: 3 | 4) {
  const { id, name, cpu_usage, memory_usage, path, status, username } = process;
  const rss = memory_usage === null || total === null ? null : Math.round((memory_usage / 100) * total);
  return {
    pid: id,
    name,
    // Arguments may hold secrets: they take the scope "command", which a token that reads does not have.
    cmdline: path === null ? [] : [path],
    username,
    status: letters[status] ?? '?',
    cpu_percent: cpu_usage,
    memory_percent: memory_usage,
    memory_info: version === 3 ? [rss] : { rss },
    time_since_update: 1,
    key: 'pid',
  };
}

/** The letters of ps. */
const letters: Record<string, string> = {
  running: 'R',
  sleeping: 'S',
  'disk-sleep': 'D',
  stopped: 'T',
  'tracing-stop': 't',
  zombie: 'Z',
  dead: 'X',
  'wake-kill': 'K',
  waking: 'W',
  idle: 'I',
  parked: 'P',
};

function toContainer(container: Container, engine: string, version: 3 | 4) {
  const { name, id, image, health, state, cpu_usage, memory_used, memory_with_cache, memory_limit } = container;
  const { network, disk } = container;
  const usage = memory_with_cache ?? memory_used;
  const cache = usage === null || memory_used === null ? null : usage - memory_used;
  const status = version === 4 && state === 'running' ? (health ?? state) : state;
  const shared = {
    key: 'name',
    name,
    engine,
    cpu: cpu_usage === null ? {} : { total: cpu_usage },
    cpu_percent: cpu_usage ?? 0,
    memory:
      usage === null ? {} : { usage, inactive_file: cache, ...(memory_limit === null ? {} : { limit: memory_limit }) },
    memory_usage: usage,
    network:
      network === null ? {} : { rx: network.received_per_second, tx: network.sent_per_second, time_since_update: 1 },
    // Bytes per second, although the documents of Glances say bits: its own page multiplies by 8.
    network_rx: network?.received_per_second ?? null,
    network_tx: network?.sent_per_second ?? null,
    io: disk === null ? {} : { ior: disk.read_per_second, iow: disk.written_per_second, time_since_update: 1 },
  };
  if (version === 3)
    return {
      ...shared,
      Id: id,
      Image: [image],
      Status: status,
      io_r: disk?.read_per_second ?? null,
      io_w: disk?.written_per_second ?? null,
    };
  return {
    ...shared,
    id,
    image: [image],
    status,
    memory_inactive_file: cache,
    memory_limit,
    io_rx: disk?.read_per_second ?? null,
    io_wx: disk?.written_per_second ?? null,
    ports: container.ports
      .map(({ host_port, container_port, protocol }) => `${host_port}->${container_port}/${protocol}`)
      .join(','),
  };
}
