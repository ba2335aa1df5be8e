import { explainNulls, type Reasons } from '../../core/reasons.ts';
import type { ContainerEngineEntry, ContainerEntry, Containers } from './containers.schema.ts';
import { engineIds, engineKind, type NamedEngine } from './engine-ids.ts';
import type { EngineFacts, InspectedContainer } from './engine-responses.ts';

export interface SeenEngine extends NamedEngine {
  problem: string | null;
  containers?: ReadonlyMap<string, InspectedContainer>;
  /** Number of containers beyond the limit. */
  unlisted?: number;
  /** Whether its containers are still being read. */
  isPartial?: boolean;
}

/** Counters of the kernel for one container since its start. null: not counted. */
export interface ContainerSample {
  /** Seconds of processor time. */
  cpu: number | null;
  /** Bytes, cache included. */
  memory: number | null;
  /** The part of it that is cache the kernel can drop immediately. */
  droppable: number | null;
  disk: { read: number; written: number } | null;
  network: { received: number; sent: number } | null;
}

/** What a running container uses. */
export interface ContainerUse {
  memoryLimit: number | null;
  now: ContainerSample;
  /** The previous sample; null: this is the first one. */
  before: ContainerSample | null;
  /** Between the two samples. */
  seconds: number;
}

/** Containers whose counters are readable, by id. */
export type ContainerUses = ReadonlyMap<string, ContainerUse>;

/** Reasons for nulls that depend on the platform. */
export interface PlatformReasons {
  /** Why the usage of a container is unknown. */
  use(rootless: boolean): string;
  network: string;
  engines: string;
}

/** Builds the payload, with a reason for every null in it. */
export function assembleContainers(
  engines: readonly SeenEngine[],
  uses: ContainerUses,
  reasons: Reasons,
  {
    runtimeDirectory,
    allowlist,
    words,
  }: { runtimeDirectory: string | null; allowlist: readonly string[]; words: PlatformReasons },
): Containers {
  const say = once(reasons);
  if (engines.length === 0) reasons.inherent('engines', words.engines);
  const ids = engineIds(engines, runtimeDirectory);
  const seen = new Set<string>();
  const containers: ContainerEntry[] = [];
  for (const [at, engine] of engines.entries()) {
    const { rootless } = engineKind(engine, runtimeDirectory);
    const unseen = { use: words.use(rootless), network: words.network };
    for (const container of engine.containers?.values() ?? []) {
      // One engine may answer at two sockets.
      if (seen.has(container.id)) continue;
      seen.add(container.id);
      const entry = toEntry(container, ids[at] ?? '', uses.get(container.id) ?? null, unseen, say);
      containers.push({ ...entry, allowed: allowlist.includes(container.name) });
    }
    if (engine.isPartial) say.missing('containers', `${ids[at]} has not described all of its containers yet`);
    if (engine.unlisted) say.missing('containers', `${engine.unlisted} more containers of ${ids[at]} are not listed`);
  }
  return {
    engines: engines.map((engine, at) =>
      toEngine(engine, ids[at] ?? '', engineKind(engine, runtimeDirectory).name, say),
    ),
    containers: containers.sort(
      (a, b) => compare(a.name, b.name) || compare(a.engine, b.engine) || compare(a.id, b.id),
    ),
  };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Reports each reason once, however many containers it applies to. */
function once(reasons: Reasons): Reasons {
  const reported = new Set<string>();
  const only = (say: (field: string | null, reason: string) => void) => (field: string | null, reason: string) => {
    const key = `${field} ${reason}`;
    if (reported.has(key)) return;
    reported.add(key);
    say(field, reason);
  };
  return { missing: only(reasons.missing), inherent: only(reasons.inherent) };
}

function toEngine(
  { facts, socket, problem }: SeenEngine,
  id: string,
  name: EngineFacts['name'],
  say: Reasons,
): ContainerEngineEntry {
  if (problem === null) say.inherent('engines[].problem', 'The engine answers');
  const reason = problem ?? 'The engine does not report it';
  if (!facts?.version) say.missing('engines[].version', reason);
  if (facts === null || facts.rootless === null) say.missing('engines[].rootless', reason);
  return {
    id,
    name,
    version: facts?.version ?? null,
    rootless: facts?.rootless ?? null,
    socket,
    reachable: problem === null,
    problem,
  };
}

function toEntry(
  container: InspectedContainer,
  engine: string,
  use: ContainerUse | null,
  unseen: { use: string; network: string },
  say: Reasons,
): Omit<ContainerEntry, 'allowed'> {
  const { id, name, image, state, health, oom, restarts, ports, project, service, pid } = container;
  const isOver = pid === null && state !== 'created';
  const since = pid !== null ? container.started : state === 'created' ? container.created : container.finished;
  const entry = {
    id,
    name,
    engine,
    image,
    state,
    health,
    since,
    exit_code: isOver ? container.exitCode : null,
    oom,
    restarts,
    ...useOf(container, use, unseen, say),
    ports,
    compose_project: project,
    compose_service: service,
    update_available: null,
  };
  explainNulls([entry], 'containers[]', whyNull, say.inherent);
  return entry;
}

const whyNull = {
  health: 'The container has no health check',
  since: 'The engine does not report it',
  exit_code: 'The container has not ended',
  restarts: 'The engine does not count restarts',
  compose_project: 'The container was not created by Compose',
  compose_service: 'The container was not created by Compose',
  update_available: 'Engines do not compare an image with its registry',
};

const noUse = {
  cpu_usage: null,
  cpu_seconds: null,
  memory_used: null,
  memory_with_cache: null,
  memory_limit: null,
  network: null,
  disk: null,
};
type Use = Pick<ContainerEntry, keyof typeof noUse>;

function useOf(
  { pid, ownNetwork }: InspectedContainer,
  use: ContainerUse | null,
  unseen: { use: string; network: string },
  say: Reasons,
): Use {
  if (use === null) {
    const why = pid === null ? 'The container is not running' : unseen.use;
    explainNulls([noUse], 'containers[]', () => why, pid === null ? say.inherent : say.missing);
    return noUse;
  }
  const { now, before, seconds, memoryLimit } = use;
  const lacking = (field: keyof Use, reason: string) => say.missing(`containers[].${field}`, reason);
  const cpu = rateBetween(now.cpu, before?.cpu, seconds);
  if (now.cpu === null)
    for (const field of ['cpu_usage', 'cpu_seconds'] as const) lacking(field, uncounted('CPU time'));
  else if (cpu === null) say.inherent('containers[].cpu_usage', tooNew);
  if (now.memory === null)
    for (const field of ['memory_used', 'memory_with_cache'] as const) lacking(field, uncounted('memory'));
  if (memoryLimit === null) say.inherent('containers[].memory_limit', 'The container has no limit of its own');
  if (now.disk === null) lacking('disk', uncounted('disk I/O'));
  if (now.network === null) {
    if (ownNetwork) lacking('network', unseen.network);
    else
      say.inherent('containers[].network', 'The container shares the network of the machine or of another container');
  }
  const rates = (which: 'network' | 'disk', now: number, earlier: number | undefined, name: string) => {
    const perSecond = rateBetween(now, earlier, seconds);
    if (perSecond === null) say.inherent(`containers[].${which}.${name}`, tooNew);
    return perSecond === null ? null : Math.round(perSecond);
  };
  return {
    cpu_usage: cpu === null ? null : Math.round(cpu * 1000) / 10,
    cpu_seconds: now.cpu === null ? null : Math.round(now.cpu * 1000) / 1000,
    memory_used: now.memory === null ? null : Math.max(0, now.memory - (now.droppable ?? 0)),
    memory_with_cache: now.memory,
    memory_limit: memoryLimit,
    network: now.network && {
      received_bytes: now.network.received,
      sent_bytes: now.network.sent,
      received_per_second: rates('network', now.network.received, before?.network?.received, 'received_per_second'),
      sent_per_second: rates('network', now.network.sent, before?.network?.sent, 'sent_per_second'),
    },
    disk: now.disk && {
      read_bytes: now.disk.read,
      written_bytes: now.disk.written,
      read_per_second: rates('disk', now.disk.read, before?.disk?.read, 'read_per_second'),
      written_per_second: rates('disk', now.disk.written, before?.disk?.written, 'written_per_second'),
    },
  };
}

const uncounted = (what: string) => `The kernel does not count the ${what} of the container`;
const tooNew = 'The container has just been started; it is known at the next read';

function rateBetween(now: number | null, before: number | null | undefined, seconds: number): number | null {
  if (now === null || before === null || before === undefined || seconds <= 0) return null;
  return Math.max(0, (now - before) / seconds);
}
