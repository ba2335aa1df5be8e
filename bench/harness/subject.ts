import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryDirectory } from './harness.ts';

/** A program that measures itself once for each line it gets. */
export interface Subject {
  pid: number;
  measure(what: string): Promise<Record<string, number>>;
  end(): void;
}

export function startSubject([program = '', ...args]: string[]): Subject {
  const { stdin, stdout, ...child } = start(program, args);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid,
    async measure(what) {
      stdin.write(`${what}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${program} ${args.join(' ')} ended; see its output`);
      return JSON.parse(value);
    },
    end: child.end,
  };
}

/** A C program of this folder. */
export function compile(name: string, ...flags: string[]): string {
  const output = path.join(temporaryDirectory(), path.basename(name));
  const { status, stderr, error } = spawnSync('cc', ['-O2', ...flags, '-o', output, beside(`${name}.c`)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name}.c cannot be compiled: ${error?.message ?? stderr}`);
  return output;
}

/** As many processes as are missing to so many, asleep, a fifth of them with threads; they end with this script. */
export async function fillWithProcesses(total: number): Promise<void> {
  const missing = Math.max(0, total - countProcesses());
  const herd = spawn(compile('processes/herd', '-pthread'), [String(missing)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => herd.kill('SIGKILL'));
  await once(herd.stdout, 'data');
  // It is there until we end, and does not keep us from it.
  herd.unref();
  herd.stdout.destroy();
}

export function countProcesses(): number {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length;
}

/** A file of a benchmark, by its path below bench/. */
export function beside(name: string): string {
  return path.join(import.meta.dirname, '..', name);
}

function start(program: string, args: string[]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  return { pid: child.pid ?? 0, stdin: child.stdin, stdout: child.stdout, end };
}
