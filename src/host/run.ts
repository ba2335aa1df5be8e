export interface RunOptions {
  /** The whole group is ended after this; 10 s unless said otherwise. */
  timeoutMs?: number;
  /** Bytes kept of each of stdout and stderr; 1 MiB unless said otherwise. What is beyond is read and thrown away. */
  maxOutput?: number;
  cwd?: string;
  /** The whole environment of the program; a small clean one unless given. */
  env?: Record<string, string>;
  input?: string;
  signal?: AbortSignal;
}

export interface RunResult {
  /** null when a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  truncated: boolean;
  timedOut: boolean;
}

/** Runs a program by its absolute path with a fixed argument vector. Never a shell. Rejects when it cannot be started. */
export type Run = (program: string, args: string[], options?: RunOptions) => Promise<RunResult>;
