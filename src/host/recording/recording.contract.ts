import type { Host } from '../host.ts';

/** Keeps what a machine says while its modules are read, to be replayed elsewhere. */
export interface MachineRecorder {
  /** The machine, to be read through this only. */
  host: Host;
  /** What is read from now on is the second look. */
  goOn(): void;
  /** Writes all of it, without what says whose machine it is, to a new directory that nobody else can read. */
  write(directory: string): RecordingReport;
  /** Writes a file of ours beside it. */
  add(directory: string, file: string, value: unknown): void;
  /** The machine as it is in that directory now, at the moment it was recorded. */
  replayed(directory: string): ReplayedMachine;
}

/** Time stands still on it, except while somebody waits. */
export interface ReplayedMachine {
  host: Host;
  /** Lets what is waited for fall due; the files are those of the second look from then on. */
  goOn(): void;
}

export interface RecordingReport {
  files: number;
  answers: number;
  bytes: number;
  /** Left out because there was too much of it. */
  left: string[];
  replaced: { kind: string; original: string; standIn: string; times: number }[];
}
