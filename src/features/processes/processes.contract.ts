import type { IoClass, SignalVerb } from './processes.control.schema.ts';

/** A process: its number, and when it was started, since the number alone may be another one's by now. */
export interface ProcessIdentity {
  id: number;
  start_time: number;
}

/** The process that something was done to. */
export interface TouchedProcess extends ProcessIdentity {
  name: string;
}

/** What a platform implements. Each refuses, with a sentence, whatever is not exactly the process that was named. */
export interface ProcessControl {
  unavailable(): string | null | Promise<string | null>;
  /** With a name, only a process of that name. Resolves when the process is seen to have obeyed, or after a moment; `status` is what it does then, "ended" if it is gone. */
  signal(process: ProcessIdentity, verb: SignalVerb, name?: string): Promise<TouchedProcess & { status: string }>;
  /** `nice` in the answer is what the system says afterwards. */
  setNice(process: ProcessIdentity, nice: number): Promise<TouchedProcess & { nice: number }>;
  setIoPriority(process: ProcessIdentity, ioClass: IoClass, level: number): Promise<TouchedProcess>;
}
