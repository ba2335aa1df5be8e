import type { RecordedUnit } from '../../lib/units.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { PerPlatform } from '../platform.ts';

/** A number of the machine that is recorded all the time. */
export interface RecordedSeries {
  /** One of `RecordedUnit`, or what the settings call it. */
  unit: string;
  description: string;
  /** What is found is a count that only grows; recorded is how fast. */
  counts?: boolean;
}

/** A set of things of which it is recorded when one comes or goes, such as the mounts. */
export interface RecordedSet {
  /** The kind of event, `mount`. */
  kind: string;
  came(name: string): string;
  went(name: string): string;
}

/** A process at one moment. */
export interface BusyProcess {
  pid: number;
  name: string;
  /** Percent; 100 is one core. */
  cpu: number;
  /** Bytes that are resident. */
  memory: number;
}

/** Where a module puts what it found at this moment. */
export interface Moment {
  /** One of the module's series; `device` tells one of several apart: a core, a disk. null: unknown now. */
  value(series: string, value: number | null, device?: string): void;
  /** What one of the module's sets holds now. */
  members(set: string, names: readonly string[]): void;
  processes(busiest: readonly BusyProcess[]): void;
  /** Something that happened since the moment before. */
  event(event: HistoryEvent): void;
  /** The machine lives on its battery, so that less should be done. */
  onBattery(): void;
  /** Milliseconds since the moment before; null: this is the first. */
  sinceMs: number | null;
  /** Seconds of processor time all processes used since then; null: nobody has said. Set by whoever finds out. */
  busySeconds: number | null;
  /** Percent of the memory that is in use; null: nobody has said. Set by whoever finds out. */
  memoryPercent: number | null;
}

/** Finds a module's series for less than reading the module costs. */
export interface HistorySampler {
  sample(moment: Moment): void | Promise<void>;
  close?(): void;
}

/** What of a module is recorded: the rows of `<name>.readings.ts` with `record`. */
export interface ModuleHistory<T> {
  series: Record<string, RecordedSeries & { unit: RecordedUnit }>;
  /**
   * Series that exist by the settings alone, which `read` gives. How long that takes is not known, so nobody waits for it: each look has
   * what was found after the look before.
   */
  configured?(settings: Settings): Record<string, RecordedSeries>;
  sets?: Record<string, RecordedSet>;
  /** Kinds of events that its sampler notes besides (`moment.event`), and what they say: rules for alerts can name them. */
  events?: Record<string, string>;
  /** From the payload, on a platform that has no sampler. */
  read?(payload: T, moment: Moment): void;
  samplers?: PerPlatform<HistorySampler>;
  /** Whether the module is to be read at all; it costs more than finding that out. */
  worthReading?: PerPlatform<boolean>;
}

/** Something that happened. */
export interface HistoryEvent {
  /** Unix milliseconds. */
  at: number;
  /** start, stop, sleep, wake, clock, session, link, mount, power, agent … */
  kind: string;
  text: string;
}

export interface HistoryQuestion {
  /** Names, with * at the end for all that begin so; none: those of the whole machine. */
  series: readonly string[];
  /** Unix milliseconds. */
  from: number;
  to: number;
  /** Seconds; null: as fits the span. */
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
}

/** What a process used between two moments, as far as it was among the busiest. */
export interface HistoryProcess {
  pid: number;
  name: string;
  /** Mean over the whole span, percent; 100 is one core. */
  cpu: number;
  most_cpu: number;
  /** Most that was resident, bytes. */
  memory: number;
}

export interface HistoryAnswer {
  /** Unix milliseconds, a multiple of the step. */
  from: number;
  to: number;
  /** Seconds. */
  step: number;
  /** Whether more is being recorded. */
  recording: boolean;
  series: HistorySeries[];
  processes: HistoryProcess[];
  events: HistoryEvent[];
  /** Every series there is. */
  names: string[];
}

/** The past of the machine. */
export interface History {
  read(question: HistoryQuestion): Promise<HistoryAnswer>;
  /** Keeps an event of this moment. Nothing happens while nothing is recorded. */
  note(kind: string, text: string): void;
}

/** Whoever goes by what is found at each moment, whether or not it is recorded. Its errors are its own to catch. */
export interface HistoryFollower {
  /** Names with their devices; what else is found may be given as well. */
  series: readonly string[];
  /** Kinds of events. */
  kinds: readonly string[];
  sampled(values: ReadonlyMap<string, number | null>): void;
  happened(event: HistoryEvent): void;
}

/** What can be followed. */
export interface KnownHistory {
  series: ReadonlyMap<string, KnownSeries>;
  kinds: ReadonlyMap<string, KnownKind>;
}

export interface KnownSeries extends RecordedSeries {
  module: string;
}

export interface KnownKind {
  /** Who notes it; null: the service itself. */
  module: string | null;
  description: string;
}

export interface FollowedHistory {
  known(): Promise<KnownHistory>;
  /** Looks at the machine as often as the recorder, where nothing is recorded at what these need alone. Returns the way to stop. */
  follow(follower: HistoryFollower): () => void;
}
