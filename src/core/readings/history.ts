import type { RecordedUnit } from '../../lib/units.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { PerPlatform } from '../platform.ts';

/** A number of the machine that is recorded continuously. */
export interface RecordedSeries {
  /** One of `RecordedUnit`, or a unit of the settings. */
  unit: string;
  description: string;
  /** For people, in sentences such as "Processor above 90 %"; default: its name. */
  title?: string;
  /** The value is a count that only grows; its rate is recorded. */
  counts?: boolean;
}

/** A set of which appearing and disappearing members are recorded, such as the mounts. */
export interface RecordedSet {
  /** The kind of event, `mount`. */
  kind: string;
  /** A sentence without its full stop: `A user logged in or out`. */
  description: string;
  came(name: string): string;
  went(name: string): string;
}

export interface BusyProcess {
  pid: number;
  name: string;
  /** Percent; 100 is one core. */
  cpu: number;
  /** Bytes that are resident. */
  memory: number;
}

/** Where a module puts its values of this moment. */
export interface Moment {
  /** One of the module's series; `device` distinguishes several: a core, a disk. null: unknown now. */
  value(series: string, value: number | null, device?: string): void;
  /** The current members of one of the module's sets. */
  members(set: string, names: readonly string[]): void;
  processes(busiest: readonly BusyProcess[]): void;
  /** Something that happened since the previous moment. */
  event(event: HistoryEvent): void;
  /** The machine runs on battery, so less should be done. */
  onBattery(): void;
  /** Milliseconds since the previous moment; null: this is the first. */
  sinceMs: number | null;
  /** Seconds of processor time that all processes used since then; null: not known. Set by the sampler that finds it. */
  busySeconds: number | null;
  /** Percent of the memory that is in use; null: not known. Set by the sampler that finds it. */
  memoryPercent: number | null;
}

/** Finds a module's series at less cost than reading the module. */
export interface HistorySampler {
  sample(moment: Moment): void | Promise<void>;
  close?(): void;
}

/** What of a module is recorded: the rows of `<name>.readings.ts` with `record`. */
export interface ModuleHistory<T> {
  series: Record<string, RecordedSeries & { unit: RecordedUnit }>;
  /**
   * Series that depend on the settings alone, which `read` returns. Its duration is not known, so the recorder does not wait: each moment
   * gets the result of the previous call.
   */
  configured?(settings: Settings): Record<string, RecordedSeries>;
  sets?: Record<string, RecordedSet>;
  /** Kinds of events that its sampler also records (`moment.event`), with their meaning: rules for alerts can name them. */
  events?: Record<string, string>;
  /** From the payload, on a platform that has no sampler. */
  read?(payload: T, moment: Moment): void;
  samplers?: PerPlatform<HistorySampler>;
  /** Whether to read the module at all; this check costs less. */
  worthReading?: PerPlatform<boolean>;
}

export interface HistoryEvent {
  /** Unix milliseconds. */
  at: number;
  /** start, stop, sleep, wake, clock, session, link, mount, power, agent … */
  kind: string;
  text: string;
}

export interface HistoryQuery {
  /** Names, with * at the end as a wildcard; empty: those of the whole machine. */
  series: readonly string[];
  /** Unix milliseconds. */
  from: number;
  to: number;
  /** Seconds; null: suitable for the span. */
  step: number | null;
}

/** Values at `from`, `from + step` and so on; null: nothing was recorded then. */
export interface HistorySeries {
  name: string;
  unit: string;
  description: string;
  mean: (number | null)[];
  least: (number | null)[];
  most: (number | null)[];
  /** The highest value; null: nothing was recorded. */
  peak: HistoryPeak | null;
}

export interface HistoryPeak {
  /** Unix milliseconds: of the sample, or, where only steps are stored, the middle of the five minutes. */
  at: number;
  value: number;
}

/** What a process used between two moments, as far as it was among the busiest. */
export interface HistoryProcess {
  pid: number;
  name: string;
  /** Mean over the whole span, percent; 100 is one core. */
  cpu: number;
  most_cpu: number;
  /** Maximum resident size, bytes. */
  memory: number;
}

/** The processes of one name together: a build starts one for each file. */
export interface HistoryProgram extends Omit<HistoryProcess, 'pid'> {
  /** Processes that were among the busiest. */
  count: number;
}

export interface HistoryResult {
  /** Unix milliseconds, a multiple of the step. */
  from: number;
  to: number;
  /** Seconds. */
  step: number;
  recording: boolean;
  series: HistorySeries[];
  processes: HistoryProcess[];
  programs: HistoryProgram[];
  events: HistoryEvent[];
  /** All series, of each with a limited number of devices. */
  names: string[];
}

export interface History {
  read(query: HistoryQuery): Promise<HistoryResult>;
  /** Records an event of this moment. Does nothing while recording is off. */
  note(kind: string, text: string): void;
}

/** Follows the values of each moment, whether or not they are recorded. It must catch its own errors. */
export interface HistoryFollower {
  /** Names with their devices; other values may be passed as well. */
  series: readonly string[];
  /** Kinds of events. */
  kinds: readonly string[];
  sampled(values: ReadonlyMap<string, number | null>): void;
  happened(event: HistoryEvent): void;
}

export interface KnownHistory {
  series: ReadonlyMap<string, KnownSeries>;
  kinds: ReadonlyMap<string, KnownKind>;
}

export interface KnownSeries extends RecordedSeries {
  module: string;
}

export interface KnownKind {
  /** The source of the event; null: the service. */
  module: string | null;
  description: string;
}

export interface FollowedHistory {
  known(): Promise<KnownHistory>;
  /** Samples at the interval of the recorder; without recording, only what the followers need. Returns the function that stops it. */
  follow(follower: HistoryFollower): () => void;
}
