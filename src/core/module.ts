import type { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { SettingsLocks } from '../settings/locks.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { Alerts } from './alerts.ts';
import { loadOnce, type PerPlatform } from './platform.ts';
import type { OpenPrompts } from './prompts/open-prompt.ts';
import type { ModuleEntities } from './readings/entities.ts';
import type { ModuleHistory } from './readings/history.ts';
import type { ModuleMetrics } from './readings/metrics.ts';
import type { ModuleOtlp } from './readings/otlp.ts';
import type { ModuleProblems } from './readings/problems.ts';
import type { ModuleReadings } from './readings/readings.ts';
import type { Reasons } from './reasons.ts';

/** One way of reading a module on one platform. Its closure holds the state between reads. */
export interface Source<T> {
  /** null: the module does not exist now. */
  read(reasons: Reasons): T | null | Promise<T | null>;
  /**
   * Calls `changed` whenever the operating system announces a change, and also once if it starts following later than this call: the module
   * is read right after it, so no change is missed. Returns the function that stops it.
   */
  watch?(changed: () => void): () => void;
  /** CPU milliseconds of the last read in another thread; omitted: it was read in this one. */
  cpuElsewhereMs?(): number;
  /** Releases what is held between reads, such as descriptors. Called again after a read that was in progress when it was closed. */
  close?(): void;
}

export interface SourceContext {
  version: string;
  settings(): Settings;
  /** What the administrator of the machine locked; null: nothing. The environment does not override it. */
  locks(): SettingsLocks | null;
  log: Log;
  /** The alerts of the running service; omitted: this process has none. */
  alerts?: Pick<Alerts, 'current' | 'onChange'>;
  /** The permission prompts of the running service; omitted: this process has none. */
  prompts?: Pick<OpenPrompts, 'current' | 'onChange'>;
  /** This process reads once and ends: the source starts nothing lasting and shows no prompt. */
  passing?: boolean;
  /** No reader of this source may see the guarded field of its module: it need not be read, and its changes are not announced. */
  withheld?: boolean;
}

export type CreateSource<T, H extends Host = Host> = (host: H, context: SourceContext) => Source<T>;

/** A field of a module that needs its own scope. */
export interface GuardedField {
  /** At the root of the payload, where it may be null. */
  field: string;
  scope: Scope;
  /** false: agents never see it, whatever their scopes. */
  agents?: false;
}

export interface ModuleDefinition<T = unknown> {
  name: string;
  description: string;
  /** Loaded only for a document, an agent or a check: the schema library is not in the hot path. */
  schema(): Promise<z.ZodType<T>>;
  /** Interval between updates for those who watch it, such as the dashboard. Other listeners get at most one each 15 s. */
  everyMs: number;
  /** The deadline of a read; the default is 10 s. */
  deadlineMs?: number;
  /** Reads in its own thread, for sources that can block in the kernel; some can on some machines only. */
  isolated?: boolean | PerPlatform<boolean>;
  /** The payload when nothing is known. */
  empty: T;
  /** Entries of its long lists are the same objects as long as nothing about them changes: each is serialised once. */
  keepsEntries?: boolean;
  /** It can appear and disappear at any time, so a description always uses a fresh reading. */
  comesAndGoes?: boolean;
  /**
   * A field that only callers with this scope see. A separate source reads it for them, so that neither pushes nor reading costs reveal its
   * changes to the others.
   */
  guarded?: GuardedField;
  /** An older name. It gives the same data, is not listed, and gives `absent` while the module does not exist. */
  alias?: { name: string; absent: T };
  /** The numbers and states in it with their published names; loaded by the recorder, a scrape, MQTT, OTLP or an alert rule. */
  readings?(): Promise<ModuleReadings<T>>;
  /** The following are derived from `readings`. */
  metrics?(): Promise<ModuleMetrics<T> | null>;
  otlp?(): Promise<(() => ModuleOtlp) | null>;
  history?(): Promise<ModuleHistory<T> | null>;
  problems?(): Promise<ModuleProblems<T> | null>;
  entities?(host: Host): Promise<ModuleEntities<T> | null>;
  sources: PerPlatform<Source<T>, [SourceContext]>;
}

/** By its name or its older one. */
export async function schemaOfModule(modules: readonly ModuleDefinition[], name: string): Promise<z.ZodType> {
  const module = modules.find((each) => each.name === name || each.alias?.name === name);
  if (module === undefined) throw new Error(`${name} has no definition`);
  return await module.schema();
}

export function defineModule<T>(definition: ModuleDefinition<T>): ModuleDefinition<T> {
  const { readings } = definition;
  if (readings === undefined) return definition;
  const load = () => loadOnce(readings);
  return {
    ...definition,
    metrics: async () => (await load()).metrics,
    otlp: async () => (await load()).otlp,
    history: async () => (await load()).history,
    problems: async () => (await load()).problems,
    entities: async (host) => (await (await load()).entities?.(host)) ?? null,
  };
}
