import os from 'node:os';
import path from 'node:path';
import type { RunOptions, RunResult } from './process-group.ts';
import {
  type Group,
  type HoldTogether,
  type LowerPriority,
  type OpenOutputPipe,
  type RunWaits,
  startGroup,
  usualWaits,
} from './process-group.ts';

/**
 * Runs a program by its absolute path with a fixed argument vector. Never a shell. Rejects when it cannot be started.
 * Descendants that the program leaves behind are neither awaited nor ended, unless the time limit is reached.
 */
export type Run = (program: string, args: string[], options?: RunOptions) => Promise<RunResult>;

export interface Runner {
  run: Run;
  /** Ends all running groups, and refuses new ones; resolves when they have ended. */
  endAll(): Promise<void>;
}

/** The service has less than a second to end. */
const endGraceMs = 300;

export interface RunnerParts {
  environment?: () => Record<string, string>;
  /** Groups a process with its descendants, where the system has no process groups. */
  holding?: () => Promise<HoldTogether>;
  /** Replaces the runtime's output, which some programs cannot open; null: the runtime's is used. */
  outputs?: () => Promise<OpenOutputPipe | null>;
  lowerPriority?: LowerPriority;
  waits?: RunWaits;
}

export function createRunner({
  environment = cleanEnvironment,
  holding,
  outputs,
  lowerPriority = (pid) => os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL),
  waits = usualWaits,
}: RunnerParts = {}): Runner {
  const running = new Set<Group>();
  let stopped = false;
  return {
    async run(program, args, options = {}) {
      check(program, args, options);
      // Not awaited where nothing is pending, so that a stop at the same moment ends this program as well.
      const hold = holding === undefined ? undefined : await holding();
      const openOutput = outputs === undefined ? null : await outputs();
      if (stopped) throw new Error(`${program} is not started: Hostler is stopping.`);
      options.signal?.throwIfAborted();
      const group = startGroup(
        program,
        args,
        { env: environment(), ...options },
        { hold, openOutput: openOutput ?? undefined, lowerPriority, waits },
      );
      running.add(group);
      try {
        return await group.result;
      } finally {
        running.delete(group);
      }
    },
    async endAll() {
      stopped = true;
      for (const group of running) group.end(endGraceMs);
      await Promise.allSettled([...running].map((group) => group.result));
    },
  };
}

/** None of our variables leaks into programs; where one needs the session, the caller adds XDG_RUNTIME_DIR and the like. */
export function cleanEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: os.homedir(), LANG: 'C.UTF-8' };
}

function check(program: string, args: string[], { cwd = '', env = {} }: RunOptions): void {
  if (!path.isAbsolute(program)) throw new Error(`"${program}" is not the absolute path of a program.`);
  const texts = [program, ...args, cwd, ...Object.entries(env).flat()];
  if (texts.some((text) => text.includes('\0'))) throw new Error(`A text for ${program} contains NUL.`);
}
