import fs from 'node:fs';
import { locate, type Roots } from '../../../host/linux/files.ts';
import type { Run } from '../../../host/processes/run.ts';

/** The machine of a query, and how to run programs. */
export interface QueryParts {
  roots: Roots;
  home: string;
  uid: number | null;
  run: Run;
}

/** A distribution upgrade of a full desktop prints about 1 MiB. */
const maxOutput = 8 * 1024 * 1024;

/** Standard output of a read-only query of a package manager. It runs with low priority and an empty environment. Throws when the query fails, with the first error it printed; `allowed`: successful exit codes other than 0. */
export async function query(
  run: Run,
  program: string,
  args: string[],
  { env = {}, allowed = [] }: { env?: Record<string, string>; allowed?: number[] } = {},
): Promise<string> {
  const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent', ...env };
  const options = { maxOutput, env: environment, cwd: '/', lowPriority: true };
  const { exitCode, stdout, stderr, timedOut, truncated } = await run(program, args, options);
  if (timedOut) throw new Error(`${program} did not finish in time`);
  if (truncated) throw new Error(`${program} printed more than ${maxOutput / 1024 ** 2} MiB`);
  if (exitCode !== 0 && !allowed.includes(exitCode ?? -1)) throw new Error(failure(program, exitCode, stderr));
  return stdout;
}

function failure(program: string, exitCode: number | null, stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const first = lines.find((line) => /^(?:E:|error:)/i.test(line)) ?? lines[0];
  const outcome = exitCode === null ? 'was ended by a signal' : `failed with exit code ${exitCode}`;
  return `${program} ${first === undefined ? outcome : `failed: ${first.slice(0, 300)}`}`;
}

/** Names in a directory of the machine; empty if it is missing. */
export function namesIn(roots: Roots, directory: string): string[] {
  try {
    return fs.readdirSync(locate(roots, directory)).sort();
  } catch {
    return [];
  }
}

/** Unix milliseconds of the newest of these files; null where none exists. */
export function newestOf(roots: Roots, files: readonly string[]): number | null {
  const times = files.flatMap((file) => {
    try {
      return fs.statSync(locate(roots, file), { throwIfNoEntry: false })?.mtimeMs ?? [];
    } catch {
      return [];
    }
  });
  return times.length === 0 ? null : Math.max(...times);
}
