import { type CapturedOutput, keep, type OutputWaits, type ProgramOutput } from './captured-output.ts';

/** A program and its descendants, which are ended together. */
export interface Group {
  result: Promise<RunResult>;
  /** Requests its end, and kills it after this time. */
  end(graceMs?: number): void;
}

export interface RunWaits extends OutputWaits {
  /** From the request to the kill, and from there until it is given up, ms. */
  graceMs: number;
}

export const usualWaits: RunWaits = { graceMs: 2000, quietMs: 250, longestMs: 2000 };

/** Groups a process with its descendants, so that they can be ended together. null: the system refused. */
export type HoldTogether = (pid: number) => { end(): void; letGo(): void } | null;

/** The output of a program, if not the runtime's. */
export interface OutputPipe extends ProgramOutput {
  /** The end for the program. */
  descriptor: number;
  /** Called when the program has started or failed to. */
  closeOwn(): void;
}

export type OpenOutputPipe = () => OutputPipe;

/** Throws when the system refuses or the process has ended. */
export type LowerPriority = (pid: number) => void;

export interface GroupParts {
  hold?: HoldTogether | undefined;
  openOutput?: OpenOutputPipe | undefined;
  lowerPriority: LowerPriority;
  waits: RunWaits;
}

export function startGroup(program: string, args: string[], options: RunOptions, parts: GroupParts): Group {
  const { hold, openOutput, lowerPriority, waits } = parts;
  const { timeoutMs = 10_000, maxOutput = 1024 * 1024, signal, onOutput } = options;
  const received = (stream: 'stdout' | 'stderr') => onOutput && ((text: string) => onOutput(stream, text));
  const { promise: result, resolve, reject } = Promise.withResolvers<RunResult>();
  const { child, stdout, stderr } = spawnGroup(program, args, options, openOutput, exited);
  if (options.lowPriority === true) attempt(() => lowerPriority(child.pid));
  const held = hold?.(child.pid) ?? null;
  const kill = (signal: 'SIGTERM' | 'SIGKILL') => (held === null ? killGroup(child, signal) : held.end());
  const outputs: [CapturedOutput, CapturedOutput] = [
    keep(stdout, maxOutput, waits, received('stdout')),
    keep(stderr, maxOutput, waits, received('stderr')),
  ];
  // Reported for a program that survives SIGKILL: it hangs in the kernel.
  const outcome: Outcome = { exitCode: null, signal: 'SIGKILL' };
  let state: 'running' | 'ending' | 'exited' | 'finished' = 'running';
  let timedOut = false;
  let next: NodeJS.Timeout | null = null;
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  const aborted = () => end();
  signal?.addEventListener('abort', aborted);
  return { result, end };

  function exited({ exitCode, signalCode }: Bun.Subprocess): void {
    Object.assign(outcome, { exitCode, signal: signalCode });
    if (state === 'ending') state = 'exited';
    else finish();
  }

  function end(graceMs = waits.graceMs): void {
    if (state !== 'running') return;
    state = 'ending';
    kill('SIGTERM');
    const isGone = () => state === 'exited' && !signalGroup(child.pid, 0);
    const deadline = performance.now() + graceMs;
    waitFor(
      () => isGone() || performance.now() > deadline,
      () => (isGone() ? finish() : endByForce()),
    );
  }

  function endByForce(): void {
    kill('SIGKILL');
    const deadline = performance.now() + waits.graceMs;
    waitFor(() => state === 'exited' || performance.now() > deadline, finish);
  }

  function waitFor(condition: () => boolean, then: () => void): void {
    if (condition()) then();
    else next = setTimeout(() => waitFor(condition, then), 20);
  }

  async function finish(): Promise<void> {
    if (state === 'finished') return;
    const wasEnded = state !== 'running';
    state = 'finished';
    release();
    const [stdout, stderr] = await Promise.all(outputs.map((output) => output.settled(wasEnded)));
    if (signal?.aborted) return reject(signal.reason);
    const truncated = outputs.some((output) => output.isTruncated());
    resolve({ ...outcome, stdout: stdout ?? '', stderr: stderr ?? '', truncated, timedOut });
  }

  function release(): void {
    held?.letGo();
    clearTimeout(timer);
    if (next) clearTimeout(next);
    signal?.removeEventListener('abort', aborted);
  }
}

type Outcome = Pick<RunResult, 'exitCode' | 'signal'>;

function spawnGroup(
  program: string,
  args: string[],
  { cwd, env = {}, input }: RunOptions,
  openOutput: OpenOutputPipe | undefined,
  exited: (child: Bun.Subprocess) => void,
) {
  const pipes = openOutput === undefined ? null : openBoth(openOutput);
  try {
    // Not node:child_process, whose streams take 2.5 MB.
    const child = Bun.spawn([program, ...args], {
      // Its own group, so that it can be ended with its descendants.
      detached: true,
      env,
      ...(cwd === undefined ? {} : { cwd }),
      stdin: input === undefined ? 'ignore' : Buffer.from(input),
      stdout: pipes?.[0].descriptor ?? 'pipe',
      stderr: pipes?.[1].descriptor ?? 'pipe',
      windowsHide: true,
      onExit: exited,
    });
    const [stdout, stderr] = pipes ?? [outputOf(child.stdout), outputOf(child.stderr)];
    return { child, stdout, stderr };
  } catch (cause) {
    for (const pipe of pipes ?? []) pipe.close();
    throw notStarted(program, cause);
  } finally {
    for (const pipe of pipes ?? []) pipe.closeOwn();
  }
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // It runs on with the usual priority, or it has ended.
  }
}

function openBoth(open: OpenOutputPipe): [OutputPipe, OutputPipe] {
  const first = open();
  try {
    return [first, open()];
  } catch (error) {
    first.closeOwn();
    first.close();
    throw error;
  }
}

/** That of the runtime. */
function outputOf(stream: ReadableStream<Uint8Array> | number | undefined): ProgramOutput | null {
  if (!(stream instanceof ReadableStream)) return null;
  const reader = stream.getReader();
  return {
    follow(received, ended) {
      const next = async (): Promise<void> => {
        for (let read = await reader.read(); !read.done; read = await reader.read())
          received(Buffer.from(read.value.buffer, read.value.byteOffset, read.value.byteLength));
      };
      next().then(ended, ended);
    },
    close: () => void reader.cancel().catch(() => {}),
    // The process ends by process.exit.
    unref: () => {},
  };
}

function notStarted(program: string, cause: unknown): Error {
  return new Error(`${program} could not be started: ${cause instanceof Error ? cause.message : cause}.`, { cause });
}

function killGroup(child: Bun.Subprocess, signal: 'SIGTERM' | 'SIGKILL'): void {
  // Without groups only the program is ended.
  const isAlive = child.exitCode === null && child.signalCode === null;
  if (!signalGroup(child.pid, signal) && isAlive) child.kill(signal);
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

export interface RunOptions {
  /** The whole group is ended after this; 10 s by default. */
  timeoutMs?: number;
  /** Captured bytes of each of stdout and stderr; 1 MiB by default. The rest is read and discarded. */
  maxOutput?: number;
  cwd?: string;
  /** The whole environment of the program; `cleanEnvironment()` by default. */
  env?: Record<string, string>;
  input?: string;
  /** Low priority, for work that is not urgent. On Linux a nice value of 10: with 19 it would not finish on a busy machine. */
  lowPriority?: boolean;
  /** Called with the captured output while it runs, cut between characters. */
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
  /** Ends the whole group; the promise then rejects with its reason. */
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
