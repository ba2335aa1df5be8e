import os from 'node:os';
import path from 'node:path';
import type { RunOptions, RunResult } from './process-group.ts';
import { type Group, type HoldTogether, type OpenOutputPipe, startGroup } from './process-group.ts';

/**
 * Runs a program by its absolute path with a fixed argument vector. Never a shell. Rejects when it cannot be started.
 * What the program started and left behind is neither waited for nor ended, unless the time is up.
 */
export type Run = (program: string, args: string[], options?: RunOptions) => Promise<RunResult>;

export interface Runner {
  run: Run;
  /** Ends every group that still runs, and refuses new ones; resolves when they are gone. */
  endAll(): Promise<void>;
}

/** The service itself has less than a second to end. */
const endGraceMs = 300;

export interface RunnerParts {
  /** What programs are given of their own where nobody says otherwise. */
  environment?: () => Record<string, string>;
  /** Where a process and what it starts are no group by themselves: how they are held together. */
  holding?: () => Promise<HoldTogether>;
  /** Where the runtime gives programs something to write to that is not what they expect; null: it has to do. */
  outputs?: () => Promise<OpenOutputPipe | null>;
}

export function createRunner({ environment = cleanEnvironment, holding, outputs }: RunnerParts = {}): Runner {
  const running = new Set<Group>();
  let stopped = false;
  return {
    async run(program, args, options = {}) {
      check(program, args, options);
      // Not awaited where there is nothing to wait for: who stops in the same moment ends this one as well.
      const hold = holding === undefined ? undefined : await holding();
      const openOutput = outputs === undefined ? null : await outputs();
      if (stopped) throw new Error(`${program} is not started: Hostler is stopping.`);
      options.signal?.throwIfAborted();
      const group = startGroup(
        program,
        args,
        { env: environment(), ...options },
        {
          hold,
          openOutput: openOutput ?? undefined,
        },
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

/** Nothing of ours leaks into programs; where one needs the session, the caller adds XDG_RUNTIME_DIR and the like. */
export function cleanEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: os.homedir(), LANG: 'C.UTF-8' };
}

function check(program: string, args: string[], { cwd = '', env = {} }: RunOptions): void {
  if (!path.isAbsolute(program)) throw new Error(`"${program}" is not the absolute path of a program.`);
  const texts = [program, ...args, cwd, ...Object.entries(env).flat()];
  if (texts.some((text) => text.includes('\0'))) throw new Error(`A text for ${program} contains NUL.`);
}
