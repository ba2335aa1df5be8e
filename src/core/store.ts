import type { Host } from '../host/host.ts';
import type { Clock } from '../lib/clock.ts';
import { ServiceError } from '../lib/errors.ts';
import { createSharedTimers, type SharedTimers } from '../lib/shared-timers.ts';
import type { Caller } from './caller.ts';
import type { GuardedField, ModuleDefinition, Source, SourceContext } from './module.ts';
import { loadFor } from './platform.ts';
import { createReading, type Reading } from './reading.ts';
import type { Reason } from './reasons.ts';
import { hasScope } from './require-scope.ts';
import { type CpuAccount, createCpuAccount } from './store/cpu-account.ts';
import { withhold } from './store/guarded-field.ts';
import { createPoller, type Listener, type ListenOptions, type Poller } from './store/poller.ts';
import { createReader, type Reader } from './store/reader.ts';

/** The modules' data as a caller may see it. */
export interface StoreView {
  /** Throws not_found, with the reason, for a module that is unknown or does not exist now. */
  get(name: string): Reading | Promise<Reading>;
  /** `live`: updates at the interval of the module, for those who watch it. */
  listen(
    name: string,
    listener: Listener,
    options?: Omit<ListenOptions, 'absent'> & { live?: boolean | undefined },
  ): () => void;
  describe(): Promise<ModuleState[]>;
  /** A key that is equal for callers who see the same of this module, and different for callers who see more. */
  variant(name: string): string;
}

/** The modules' data, read on demand only. Without `seenBy` it shows what every reader may see. */
export interface Store extends StoreView {
  names: string[];
  /** Older names, under which data is available but not listed. */
  aliases: string[];
  /** Whether the module is known; it may be absent now. */
  knows(name: string): boolean;
  /** With the guarded fields that this caller may see; an agent may see fewer. */
  seenBy(caller: Pick<Caller, 'scopes'>, as?: 'client' | 'agent'): StoreView;
  /** What reading has cost so far, without a new read. */
  costs(): { name: string; reads: number; totalCpuMs: number }[];
  /** Reads and pushes everything that has listeners now; resolves when done. */
  refresh(): Promise<void>;
  close(): void;
}

export type Availability = 'available' | 'degraded' | 'unavailable';

export interface ModuleState {
  name: string;
  description: string;
  interval_ms: number;
  availability: Availability;
  reasons: Reason[];
  cost: { reads: number; cpu_ms: number; wall_ms: number; bytes: number; total_cpu_ms: number };
}

export interface StoreParts {
  modules: readonly ModuleDefinition[];
  host: Host;
  context: SourceContext;
  /** Shared with other periodic work, so that it wakes the process together. */
  timers?: SharedTimers;
  /** Called after every reading. */
  wasRead?: () => void;
  /** Creates a source that reads in its own thread. */
  isolate?: (definition: ModuleDefinition) => Promise<Source<unknown>>;
}

interface Entry {
  definition: ModuleDefinition;
  reader: Reader;
  poller: Poller;
  intervalMs(): number;
}

interface Views {
  /** For every caller that may read. */
  shown: Entry;
  /** With the guarded field; the same entry where there is none. */
  whole: Entry;
}

/** Of listeners that name no interval: on the tick of the history recorder, whose reading serves both. */
export const listenersEveryMs = 15_000;
/** A reading of this age is recent enough for a description. */
const describableAgeMs = 30_000;

export function createStore(parts: StoreParts): Store {
  const { clock } = parts.host;
  const shared = { timers: parts.timers ?? createSharedTimers(clock), account: createCpuAccount(clock.cpu) };
  const modules = new Map(parts.modules.map((definition) => [definition.name, createViews(definition, parts, shared)]));
  const all = [...new Set([...modules.values()].flatMap(({ shown, whole }) => [shown, whole]))];
  const aliased = new Map([...modules.values()].flatMap((views) => aliasOf(views, clock)));

  const viewFor = (mayHave: (guarded: GuardedField) => boolean): StoreView => {
    const mayHaveWhole = ({ guarded }: ModuleDefinition) => guarded !== undefined && mayHave(guarded);
    const choose = ({ shown, whole }: Views) => (mayHaveWhole(shown.definition) ? whole : shown);
    const find = (name: string): Entry => {
      const views = modules.get(name) ?? aliased.get(name)?.views;
      if (views !== undefined) return choose(views);
      throw new ServiceError(
        'not_found',
        `There is no module ${JSON.stringify(name.slice(0, 64))}; available: ${[...modules.keys()].join(', ')}`,
      );
    };
    return {
      get(name) {
        const { definition, reader } = find(name);
        const absent = aliased.get(name)?.absent;
        const reading = reader.current();
        return reading instanceof Promise
          ? reading.then((landed) => present(definition, landed, absent))
          : present(definition, reading, absent);
      },
      listen(name, listener, { live = false, ...options } = {}) {
        const { definition, poller } = find(name);
        const absent = aliased.get(name)?.absent;
        return poller.listen(listener, { ...options, ...(live && { everyMs: definition.everyMs }), absent });
      },
      describe: () => Promise.all([...modules.values()].map((views) => describe(choose(views), clock))),
      variant(name) {
        const { definition } = find(name);
        return mayHaveWhole(definition) ? `${name}+${definition.guarded?.scope}` : name;
      },
    };
  };

  const guards = [...new Set(parts.modules.flatMap(({ guarded }) => guarded?.scope ?? []))];
  const open = viewFor(() => false);
  const views = new Map<string, StoreView>();
  // The scopes of a token are the same object as long as the token is unchanged, so the view is found once per token.
  const byScopes = { client: new WeakMap<object, StoreView>(), agent: new WeakMap<object, StoreView>() };
  const viewOf = (caller: Pick<Caller, 'scopes'>, as: 'client' | 'agent'): StoreView => {
    const held = guards.filter((scope) => hasScope(caller, scope));
    if (held.length === 0) return open;
    const key = [as, ...held].join();
    const isShown = ({ scope, agents }: GuardedField) => held.includes(scope) && (as === 'client' || agents !== false);
    const known = views.get(key) ?? viewFor(isShown);
    views.set(key, known);
    return known;
  };

  return {
    ...open,
    names: [...modules.keys()],
    aliases: [...aliased.keys()],
    knows: (name) => modules.has(name) || aliased.has(name),
    seenBy(caller, as = 'client') {
      const known = byScopes[as].get(caller.scopes);
      if (known !== undefined) return known;
      const view = viewOf(caller, as);
      byScopes[as].set(caller.scopes, view);
      return view;
    },
    costs: () =>
      [...modules.values()].map(({ shown: { definition, reader } }) => ({ name: definition.name, ...reader.cost() })),
    async refresh() {
      await Promise.all(all.map(({ poller }) => poller.refresh()));
    },
    close() {
      for (const { poller, reader } of all) {
        poller.close();
        reader.close();
      }
    },
  };
}

function createViews(
  definition: ModuleDefinition,
  parts: StoreParts,
  shared: { timers: SharedTimers; account: CpuAccount },
): Views {
  const whole = createEntry(definition, parts, shared);
  const { guarded } = definition;
  if (guarded === undefined) return { shown: whole, whole };
  const context = { ...parts.context, withheld: true };
  return {
    whole,
    shown: createEntry(definition, { ...parts, context }, shared, (source) => withhold(source, guarded)),
  };
}

function createEntry(
  definition: ModuleDefinition,
  { host, context, isolate, wasRead }: StoreParts,
  { timers, account }: { timers: SharedTimers; account: CpuAccount },
  shown: (source: Source<unknown>) => Source<unknown> = (source) => source,
): Entry {
  const { clock } = host;
  const { log } = context;
  const open = async () => {
    const create = await loadFor(host, definition.sources);
    if (create === null) return null;
    if (isolate !== undefined && (await isIsolated(definition, host))) return shown(await isolate(definition));
    return shown(create(context));
  };
  const reader = createReader(definition, { clock, log, account, open, wasRead });
  const usualMs = Math.max(definition.everyMs, listenersEveryMs);
  const intervalMs = () => context.settings().modules[definition.name]?.interval ?? usualMs;
  return {
    definition,
    reader,
    intervalMs,
    poller: createPoller({ name: definition.name, reader, timers, log, intervalMs, clock }),
  };
}

async function isIsolated({ isolated = false }: ModuleDefinition, host: Host): Promise<boolean> {
  return typeof isolated === 'boolean' ? isolated : ((await loadFor(host, isolated))?.() ?? false);
}

function aliasOf(views: Views, clock: Clock): [string, { views: Views; absent: Reading }][] {
  const { alias } = views.shown.definition;
  return alias === undefined ? [] : [[alias.name, { views, absent: createReading(alias.absent, [], clock) }]];
}

function present(definition: ModuleDefinition, reading: Reading, absent?: Reading): Reading {
  if (reading.payload !== null) return reading;
  if (absent !== undefined) return absent;
  throw new ServiceError(
    'not_found',
    `The module ${definition.name} is not available here: ${absence(reading.reasons)}`,
  );
}

async function describe({ definition, reader, intervalMs }: Entry, clock: Clock): Promise<ModuleState> {
  const last = reader.last();
  const maxAgeMs = definition.comesAndGoes ? 0 : describableAgeMs;
  const reading = last !== null && clock.monotonic() - last.takenAt < maxAgeMs ? last : await reader.current();
  const { reads, cpuMs, wallMs, totalCpuMs } = reader.cost();
  return {
    name: definition.name,
    description: definition.description,
    interval_ms: intervalMs(),
    availability: availabilityOf(reading),
    reasons: reading.payload === null && reading.reasons.length === 0 ? [noSource] : reading.reasons,
    cost: {
      reads,
      cpu_ms: round(cpuMs),
      wall_ms: round(wallMs),
      bytes: reading.payload === null ? 0 : Buffer.byteLength(reading.text),
      total_cpu_ms: round(totalCpuMs),
    },
  };
}

const noSource: Reason = {
  field: null,
  reason: 'not supported on this platform yet',
  mendable: false,
};

function absence(reasons: Reason[]): string {
  return (reasons.find(({ field }) => field === null) ?? reasons[0] ?? noSource).reason;
}

/** A failed read has a reason for the whole module; the age of the payload shows whether data exists. */
function availabilityOf({ payload, reasons }: Reading): Availability {
  if (payload === null || reasons.some(({ field, mendable }) => field === null && mendable)) return 'unavailable';
  return reasons.some(({ mendable }) => mendable) ? 'degraded' : 'available';
}

const round = (ms: number) => Math.round(ms * 1000) / 1000;
