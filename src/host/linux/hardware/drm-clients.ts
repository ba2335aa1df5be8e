import type { Clock } from '../../../lib/clock.ts';
import type { Files, PersistentFile } from '../files.ts';

/** Busy time of the engines of a GPU for one client. https://docs.kernel.org/gpu/drm-usage-stats.html */
export interface DrmClient {
  /** The caller's name of the GPU. */
  gpu: string;
  /** One of its processes: a descriptor may be passed on. */
  pid: number;
  engines: Map<string, Engine>;
  /** Bytes; null: the driver does not count them. */
  memory: number | null;
}

/** The use of a GPU by one process. */
export interface DrmUse {
  pid: number;
  /** Percent of its busiest kind of engine; null: not counted. */
  load: number | null;
  /** Bytes; null: unknown. */
  memory: number | null;
}

export interface Engine {
  busy: number;
  /** The total of `busy`, in the same unit; null: nanoseconds of wall time. */
  total: number | null;
  /** How many of these engines there are. */
  capacity: number;
}

/** Links that are read between two checks of the clock. */
const atOnce = 64;

/** `gpuOf` maps a file of /dev/dri to its GPU. Only root sees processes of other users. */
export function createDrmClients(files: Files, clock: Clock, gpuOf: (node: string) => string | null) {
  const known = new Map<string, { gpu: string; pid: number; info: PersistentFile }>();
  let waiting: string[] = [];
  let atHand: { pid: string; descriptors: string[] } = { pid: '', descriptors: [] };

  const forget = (file: string) => {
    known.get(file)?.info.close();
    known.delete(file);
  };

  const check = (pid: string, descriptor: string) => {
    const target = files.link(`/proc/${pid}/fd/${descriptor}`);
    if (target === null || !target.startsWith('/dev/dri/')) return;
    const gpu = gpuOf(target.slice('/dev/dri/'.length));
    const file = `/proc/${pid}/fdinfo/${descriptor}`;
    if (gpu !== null && !known.has(file)) known.set(file, { gpu, pid: Number(pid), info: files.keep(file) });
  };

  /** One step: a few descriptors of the current process, or those of the next one. Some have thousands. */
  const step = () => {
    for (const descriptor of atHand.descriptors.splice(-atOnce)) check(atHand.pid, descriptor);
    if (atHand.descriptors.length > 0) return;
    const pid = waiting.pop();
    if (pid !== undefined) atHand = { pid, descriptors: files.entries(`/proc/${pid}/fd`) };
  };

  const isDone = () => waiting.length === 0 && atHand.descriptors.length === 0;

  return {
    /** Searches for GPU clients for a limited time; true: all processes were checked since it was last true. */
    async search(forMs: number): Promise<boolean> {
      if (isDone()) waiting = (await files.names('/proc')).filter((name) => /^\d+$/.test(name));
      const end = clock.monotonic() + forMs;
      while (!isDone() && clock.monotonic() < end) step();
      return isDone();
    },
    /** The clients found so far, by a stable key. */
    sample(): Map<string, DrmClient> {
      const clients = new Map<string, DrmClient>();
      for (const [file, { gpu, pid, info }] of known) {
        const text = info.text() ?? '';
        const client = parseClient(text);
        if (client === null) {
          forget(file);
          continue;
        }
        // Descriptors that were inherited or passed on belong to the same client.
        const key = `${gpu} ${client.id}`;
        if (!clients.has(key)) clients.set(key, { gpu, pid, engines: client.engines, memory: parseClientMemory(text) });
      }
      return clients;
    },
    close() {
      for (const file of [...known.keys()]) forget(file);
    },
  };
}

/** null: not, or no longer, a file of a GPU. */
export function parseClient(fdinfo: string): { id: string; engines: Map<string, Engine> } | null {
  const values = new Map<string, number>();
  let id: string | null = null;
  for (const line of fdinfo.split('\n')) {
    if (!line.startsWith('drm-')) continue;
    const colon = line.indexOf(':');
    const key = line.slice('drm-'.length, colon);
    if (key === 'client-id') id = line.slice(colon + 1).trim();
    else values.set(key, Number.parseInt(line.slice(colon + 1), 10));
  }
  if (id === null) return null;
  const engines = new Map<string, Engine>();
  for (const [key, busy] of values) {
    const counted = /^(engine|cycles)-(?!capacity-)(.+)$/.exec(key);
    if (counted === null || Number.isNaN(busy)) continue;
    const [, kind, name = ''] = counted;
    const total = kind === 'cycles' ? (values.get(`total-cycles-${name}`) ?? null) : null;
    // Cycles without their total are no measure of busy time.
    if (kind === 'cycles' && total === null) continue;
    engines.set(name, { busy, total, capacity: values.get(`engine-capacity-${name}`) || 1 });
  }
  return { id, engines };
}

const unitBytes: Record<string, number> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/**
 * Bytes of the memory on the card, which drivers call vram or local; of system memory where it has no such region.
 * Newer kernels report resident memory; before, amdgpu had drm-memory-….
 */
export function parseClientMemory(fdinfo: string): number | null {
  const regions = new Map<string, { rank: number; bytes: number }>();
  for (const [, kind = '', region = '', amount, unit = ''] of fdinfo.matchAll(
    /^drm-(resident|memory|total)-(\S+):\s*(\d+) ?(\w*)$/gm,
  )) {
    if (region.startsWith('cycles-')) continue;
    const rank = ['total', 'memory', 'resident'].indexOf(kind);
    if ((regions.get(region)?.rank ?? -1) < rank)
      regions.set(region, { rank, bytes: Number(amount) * (unitBytes[unit] ?? 1) });
  }
  const sum = (of: [string, { bytes: number }][]) => of.reduce((all, [, { bytes }]) => all + bytes, 0);
  const own = [...regions].filter(([region]) => /^(vram|local)/.test(region));
  return regions.size === 0 ? null : sum(own.length > 0 ? own : [...regions]);
}

/** The use of a GPU by each process between two samples. */
export function usesBetween(
  before: Map<string, DrmClient>,
  after: Map<string, DrmClient>,
  seconds: number,
  gpu: string,
): DrmUse[] {
  const byPid = new Map<number, Map<string, DrmClient>>();
  for (const [key, client] of after) {
    if (client.gpu !== gpu) continue;
    const own = byPid.get(client.pid) ?? new Map<string, DrmClient>();
    byPid.set(client.pid, own.set(key, client));
  }
  return [...byPid].map(([pid, clients]) => {
    const sizes = [...clients.values()].flatMap(({ memory }) => (memory === null ? [] : [memory]));
    return {
      pid,
      load: loadBetween(before, clients, seconds, gpu),
      memory: sizes.length === 0 ? null : sizes.reduce((all, size) => all + size, 0),
    };
  });
}

/** Percent of the busiest kind of engine between two samples; null: nothing was counted. */
export function loadBetween(
  before: Map<string, DrmClient>,
  after: Map<string, DrmClient>,
  seconds: number,
  gpu: string,
): number | null {
  const shares = new Map<string, number>();
  for (const [key, client] of after) {
    if (client.gpu !== gpu) continue;
    for (const [name, engine] of client.engines) {
      const last = before.get(key)?.engines.get(name) ?? engine;
      const elapsed = engine.total === null ? seconds * 1e9 : engine.total - (last.total ?? 0);
      const worked = Math.max(0, engine.busy - last.busy);
      const share = elapsed <= 0 ? 0 : worked / (elapsed * engine.capacity);
      shares.set(name, (shares.get(name) ?? 0) + share);
    }
  }
  return shares.size === 0 ? null : Math.min(100, 100 * Math.max(...shares.values()));
}
