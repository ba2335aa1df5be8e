import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { needs } from './parts.ts';

/** Debian's Python has Debian's psutil; the one on the PATH may be another. */
const python = '/usr/bin/python3';

/** Whether psutil, the reference for measurements, is on this machine. */
export function hasPsutil(): boolean {
  const modules = '/usr/lib/python3/dist-packages/psutil';
  if (needs(python) && fs.existsSync(modules)) return true;
  if (process.env.CI === 'true')
    throw new Error(`${modules} is missing: with CI=true every real part has to be there.`);
  console.warn('skipped: python3-psutil is not installed');
  return false;
}

export interface Psutil {
  /** The value of a Python expression that may use psutil; of named tuples as objects. */
  ask<T>(expression: string): Promise<T>;
  stop(): void;
}

const program = `
import json, sys, psutil
def plain(value):
    if hasattr(value, '_asdict'): return {key: plain(entry) for key, entry in value._asdict().items()}
    if isinstance(value, (list, tuple)): return [plain(entry) for entry in value]
    if isinstance(value, dict): return {str(key): plain(entry) for key, entry in value.items()}
    return value
def exe(process):
    # For paths that it may not read psutil falls back to the command line, which is unreliable; this disables the fallback.
    try: return process._proc.exe()
    except psutil.Error: return None
for line in sys.stdin:
    print(json.dumps(plain(eval(line))), flush=True)
`;

/** `before`: a command that starts it, such as one that gives it a private machine. */
export function startPsutil(...before: string[]): Psutil {
  const [command = python, ...args] = [...before, python, '-c', program];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: PromiseWithResolvers<string>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  child.once('exit', (code) => {
    for (const { reject } of waiting) reject(new Error(`psutil ended with ${code}; see its output`));
  });
  return {
    async ask(expression) {
      const answer = Promise.withResolvers<string>();
      waiting.push(answer);
      child.stdin.write(`${expression}\n`);
      return JSON.parse(await answer.promise);
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Keeps one core busy until it is stopped. */
export function startLoad(): { stop(): void } {
  const child: ChildProcess = spawn(python, ['-c', 'while True: pass'], { stdio: 'ignore' });
  return { stop: () => void child.kill('SIGKILL') };
}
