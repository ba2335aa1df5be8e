import type { IoClass, SignalVerb } from './processes.control.schema.ts';
import type { Process } from './processes.schema.ts';

/** A process, by PID and start time, because a PID is reused. */
export type ProcessIdentity = Pick<Process, 'id' | 'start_time'>;

/** What a platform implements. Methods give the name of the process, and throw a ServiceError unless exactly this one exists. */
export interface ProcessControl {
  unavailable(): string | null | Promise<string | null>;
  /** `name`: refuse a process with another name. Resolves when the signal took effect, or after a timeout; `status` is the state then, or "ended". */
  signal(process: ProcessIdentity, verb: SignalVerb, name?: string): Promise<{ name: string; status: string }>;
  /** `nice` in the result is read back from the system. */
  setNice(process: ProcessIdentity, nice: number): Promise<{ name: string; nice: number }>;
  setIoPriority(process: ProcessIdentity, ioClass: IoClass, level: number): Promise<{ name: string }>;
}
