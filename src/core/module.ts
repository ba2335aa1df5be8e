import type { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { SettingsLocks } from '../settings/locks.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { Alerts } from './alerts.ts';
import type { PerPlatform } from './platform.ts';
import type { ModuleEntities } from './readings/entities.ts';
import type { ModuleHistory } from './readings/history.ts';
import type { ModuleMetrics } from './readings/metrics.ts';
import type { ModuleOtlp } from './readings/otlp.ts';
import type { ModuleProblems } from './readings/problems.ts';
import type { ModuleReadings } from './readings/readings.ts';
import type { Reasons } from './reasons.ts';

/** One way of reading a module on one platform. What it remembers between reads lives in its closure. */
export interface Source<T> {
  /** null: the module does not exist now. */
  read(reasons: Reasons): T | null | Promise<T | null>;
  /**
   * Calls `changed` whenever the operating system announces a change, and when it begins to hear of them later than this call: it is read
   * once right after it, so that nothing falls in between. Returns the way to stop.
   */
  watch?(changed: () => void): () => void;
  /** CPU milliseconds the last read took in another thread; left out: it was read in this one. */
  cpuElsewhereMs?(): number;
  /** Gives back what is kept between reads, such as descriptors. Once more when a read ends during which it was closed. */
  close?(): void;
}

export interface SourceContext {
  version: string;
  settings(): Settings;
  /** What the administrator of the machine locked; null: nothing. The environment does not override it. */
  locks(): SettingsLocks | null;
  log: Log;
  /** How the alerts of the running service stand; left out: this process watches none. */
  alerts?: Pick<Alerts, 'current' | 'onChange'>;
  /** This process has one look and ends: nothing lasting is begun, and the user is asked nothing. */
  passing?: boolean;
  /** Nobody who reads this source may see the guarded field of its module: it need not be looked for, and changes of it are not told. */
  withheld?: boolean;
}

/** `H`: the machine of the platform it is written for. */
export type CreateSource<T, H extends Host = Host> = (host: H, context: SourceContext) => Source<T>;

/** A field of a module that takes a scope of its own to be seen. */
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
  /** Loaded only when a document, an agent or a check asks: the schema library is not in the hot path. */
  schema(): Promise<z.ZodType<T>>;
  /** Default interval between updates while somebody listens. */
  everyMs: number;
  /** A read may take this long before it is given up; the default is 10 s. */
  deadlineMs?: number;
  /** Reads in a thread of its own, for sources that can block in the kernel; some can on some machines only. */
  isolated?: boolean | PerPlatform<boolean>;
  /** The payload when nothing is known. */
  empty: T;
  /** Entries of its long lists are the same objects as long as nothing about them changes: each is written as JSON once. */
  keepsEntries?: boolean;
  /** Whether it exists can change at any time, so that a description never goes by what was known a while ago. */
  comesAndGoes?: boolean;
  /**
   * A field that only callers with this scope see. It is read by a source of its own for them, so that nothing, neither what is pushed nor
   * what reading costs, tells the others when it changes.
   */
  guarded?: GuardedField;
  /** An older name. It gives the same data, is listed nowhere, and stands for `absent` while the module does not exist. */
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

export function defineModule<T>(definition: ModuleDefinition<T>): ModuleDefinition<T> {
  const { readings } = definition;
  if (readings === undefined) return definition;
  return {
    ...definition,
    metrics: async () => (await readings()).metrics,
    otlp: async () => (await readings()).otlp,
    history: async () => (await readings()).history,
    problems: async () => (await readings()).problems,
    entities: async (host) => (await (await readings()).entities?.(host)) ?? null,
  };
}
