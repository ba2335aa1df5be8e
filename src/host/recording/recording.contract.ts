import type { Host } from '../host.ts';

/** Records the answers of a machine while its modules are read, to be replayed elsewhere. */
export interface MachineRecorder {
  host: Host;
  /** Later reads belong to the second sample. */
  goOn(): void;
  /** Writes everything, without identifying data, to a new directory that no other user can read. */
  write(directory: string): RecordingReport;
  add(directory: string, file: string, value: unknown): void;
  /** Replays the machine from that directory, at the time of the recording. */
  replayed(directory: string): ReplayedMachine;
}

/** Its clock stands still, except while a timer is awaited. */
export interface ReplayedMachine {
  host: Host;
  /** Runs the pending timers; afterwards the files are those of the second sample. */
  goOn(): void;
}

export interface RecordingReport {
  files: number;
  answers: number;
  bytes: number;
  /** Left out because it was too large. */
  left: string[];
  replaced: { kind: string; original: string; standIn: string; times: number }[];
}
