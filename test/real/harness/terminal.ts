import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { endProcess } from './end-process.ts';
import { findProgram } from './parts.ts';

/** A terminal that records every byte typed into it. */
export interface PrivateTerminal {
  typed(): string;
  forget(): void;
  /** Started, on the screen, and reading. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** `before` are the arguments of a program that starts it as another user. Not started yet. */
export function createPrivateTerminal(
  command: string[],
  env: Record<string, string>,
  before: string[] = [],
): PrivateTerminal {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-terminal-'));
  fs.chmodSync(directory, 0o777);
  const file = path.join(directory, 'typed');
  const ready = path.join(directory, 'ready');
  // Keys such as Ctrl+C arrive as bytes.
  const script = `stty -icanon -echo -isig -ixon; touch '${ready}'; exec cat >> '${file}'`;
  let child: ChildProcess | null = null;
  return {
    typed: () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''),
    forget: () => fs.truncateSync(file),
    async start() {
      const [program = '', ...args] = [...before, ...command, 'sh', '-c', script];
      child = spawn(findProgram(program) ?? program, args, { env: { LANG: 'C.UTF-8', ...env }, stdio: 'ignore' });
      await until(() => fs.existsSync(ready) && fs.existsSync(file), `${command[0]} reads`);
    },
    async remove() {
      await endProcess(child);
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
