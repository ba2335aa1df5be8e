import type { ModuleDefinition } from '../core/module.ts';
import { loadFor } from '../core/platform.ts';
import type { HistoryEvent, HistorySampler, ModuleHistory, Moment } from '../core/readings/history.ts';
import type { Store } from '../core/store.ts';
import type { Host } from '../host/host.ts';
import { settledWithin } from '../lib/clock.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { SampleSink } from './buffer.ts';
import { createConfiguredSampler } from './configured-sampler.ts';

export interface SamplersParts {
  modules: readonly ModuleDefinition[];
  store: Pick<Store, 'get'>;
  host: Host;
  log: Log;
  settings(): Settings;
}

/** All samplers. */
export interface Samplers {
  /** Whether the machine runs on battery. A value that takes longer than `patienceMs` becomes part of the next sample. */
  sample(into: SampleSink): Promise<boolean>;
  /** Rates across a pause would be wrong. */
  forgetCounts(): void;
  close(): void;
}

interface Sampled {
  name: string;
  history: ModuleHistory<unknown>;
  sampler: HistorySampler;
  /** Logged once for each reason. */
  complaint: string | null;
  /** The previous sample has not ended. */
  isBusy: boolean;
}

/** Values that one module shares with later ones. */
const unknown: Pick<Moment, 'busySeconds' | 'memoryPercent'> = { busySeconds: null, memoryPercent: null };

/** An unavailable module is read again after this many samples: most never become available. */
const askAgainAfter = 40;
const patienceMs = 3000;

export async function loadSamplers(parts: SamplersParts): Promise<Samplers> {
  const all: Sampled[] = [];
  for (const definition of parts.modules) {
    const history = (await definition.history?.()) ?? null;
    if (history === null) continue;
    const make = history.samplers === undefined ? null : await loadFor(parts.host, history.samplers);
    const worth = history.worthReading === undefined ? null : await loadFor(parts.host, history.worthReading);
    const hasOwn = history.configured === undefined || Object.keys(history.series).length > 0;
    const own = make?.() ?? (hasOwn ? fromPayload(definition, history, parts.store, worth ?? (() => true)) : null);
    for (const sampler of [own, createConfiguredSampler(definition.name, history, parts)])
      if (sampler !== null) all.push({ name: definition.name, history, sampler, complaint: null, isBusy: false });
  }
  return createSamplers(all, parts);
}

/** As declared by the module. */
function fromPayload(
  { name }: ModuleDefinition,
  { read }: ModuleHistory<unknown>,
  store: Pick<Store, 'get'>,
  isWorth: () => boolean,
): HistorySampler | null {
  if (read === undefined) return null;
  let skip = 0;
  return {
    async sample(moment) {
      if (skip-- > 0) return;
      if (!isWorth()) {
        skip = askAgainAfter;
        return;
      }
      try {
        const { payload } = await store.get(name);
        read(payload, moment);
        skip = Array.isArray(payload) && payload.length === 0 ? askAgainAfter : 0;
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'not_found')) throw error;
        skip = askAgainAfter;
      }
    },
  };
}

function createSamplers(all: Sampled[], { host: { clock }, log }: SamplersParts): Samplers {
  const counts = new Map<string, { value: number; at: number }>();
  const sets = new Map<string, Set<string>>();
  let lastAt: number | null = null;

  const rateOf = (name: string, value: number | null): number | null => {
    const now = clock.monotonic();
    const before = counts.get(name);
    if (value === null) counts.delete(name);
    else counts.set(name, { value, at: now });
    // A restarted counter has no rate for this interval.
    if (before === undefined || value === null || value < before.value || now <= before.at) return null;
    return ((value - before.value) * 1000) / (now - before.at);
  };

  const complain = (sampled: Sampled, error: unknown) => {
    const complaint = messageOf(error);
    if (complaint !== sampled.complaint) log.warn(`history: ${sampled.name} cannot be recorded: ${complaint}`);
    sampled.complaint = complaint;
  };

  const settle = async (sampled: Sampled, result: Promise<void>) => {
    sampled.isBusy = true;
    try {
      await result;
      sampled.complaint = null;
    } catch (error) {
      complain(sampled, error);
    }
    sampled.isBusy = false;
  };

  return {
    async sample(into) {
      const now = clock.monotonic();
      const at = clock.now();
      let battery = false;
      into.begin(at);
      const shared = { sinceMs: lastAt === null ? null : now - lastAt, ...unknown };
      lastAt = now;
      const pending: Promise<void>[] = [];
      for (const sampled of all) {
        if (sampled.isBusy) continue;
        const { history, sampler } = sampled;
        const moment: Moment = {
          ...shared,
          value(series, value, device) {
            const full = device === undefined ? series : `${series}/${device}`;
            into.set(full, history.series[series]?.counts ? rateOf(full, value) : value);
          },
          members: (set, names) => noteChanges(history, set, names, sets, at, into.event),
          processes: into.processes,
          event: into.event,
          onBattery() {
            battery = true;
          },
        };
        try {
          const result = sampler.sample(moment);
          if (result !== undefined) pending.push(settle(sampled, result));
          else sampled.complaint = null;
        } catch (error) {
          complain(sampled, error);
        }
        shared.busySeconds = moment.busySeconds;
        shared.memoryPercent = moment.memoryPercent;
      }
      if (pending.length > 0) await settledWithin(clock, Promise.all(pending), patienceMs);
      return battery;
    },
    forgetCounts: () => counts.clear(),
    close() {
      for (const { sampler } of all) sampler.close?.();
    },
  };
}

/** What exists at the first sample is not new. */
function noteChanges(
  { sets: definitions = {} }: ModuleHistory<unknown>,
  set: string,
  names: readonly string[],
  known: Map<string, Set<string>>,
  at: number,
  note: (event: HistoryEvent) => void,
): void {
  const definition = definitions[set];
  if (definition === undefined) return;
  const before = known.get(set);
  const now = new Set(names);
  known.set(set, now);
  if (before === undefined) return;
  for (const name of before.difference(now)) note({ at, kind: definition.kind, text: definition.went(name) });
  for (const name of now.difference(before)) note({ at, kind: definition.kind, text: definition.came(name) });
}
