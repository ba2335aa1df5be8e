import type { Replacement } from './program-files.ts';

/** The program that runs, as it was installed, and how it becomes another version. */
export interface OwnProgram {
  origin: ProgramOrigin;
  replacement: Replacement;
  /** Whether the process with this number runs this very file. */
  isRunBy(pid: number): boolean;
}

export type ProgramOrigin =
  /** Others see to it: what to type. `file` is the name of what has to be fetched before; null: nothing. */
  | { kind: 'managed'; by: string; file(version: string): string | null; command(version: string): string }
  /** It was unpacked from an archive of ours: `programs` are the files that are replaced, by their names in the archive. */
  | { kind: 'archive'; archive(version: string): string; programs: OwnFile[] };

export interface OwnFile {
  entry(version: string): string;
  /** Absolute. The first one is the one that runs. */
  file: string;
}
