import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Reason } from '../../../src/core/reasons.ts';
import type { Networks } from '../../../src/features/networks/networks.schema.ts';
import { findProgram, needs } from './parts.ts';

/** Whether private networks can be created here. */
export function hasNetworks(): boolean {
  if (!needs('ip')) return false;
  if (process.getuid?.() === 0) return true;
  if (process.env.CI === 'true') throw new Error('Private networks need root: with CI=true nothing may be skipped.');
  console.warn('skipped: private networks need root');
  return false;
}

/** A network namespace, with nothing in it but a loopback interface that is up. */
export interface PrivateNetwork {
  /** A prefix that starts a program in it. */
  within: readonly string[];
  /** Runs `ip` in it. */
  ip(command: string): void;
  /** The same; false: it failed. */
  tries(command: string): boolean;
  /** Runs many lines of `ip`, as fast as possible. */
  batch(lines: string[]): void;
  reader(...options: string[]): NetworksReader;
  /** Starts a program in it, with a file as its input, and returns the line it prints when it is ready. */
  start(program: string, args: string[], input?: string): Promise<string>;
  remove(): void;
}

export interface Push {
  pushed: Networks;
  /** Unix milliseconds. */
  at: number;
}

/** networks-reader.ts */
export interface NetworksReader {
  read(): Promise<{ pid: number; payload: Networks; reasons: Reason[] }>;
  listen(): Promise<void>;
  unlisten(): Promise<void>;
  /** Its CPU time in milliseconds. */
  cpu(): Promise<number>;
  pushes: Push[];
  stop(): void;
}

export function createPrivateNetwork(name: string): PrivateNetwork {
  const namespace = `hostler-${process.pid}-${name}`;
  const program = findProgram('ip') ?? 'ip';
  const within = [program, 'netns', 'exec', namespace];
  const started: { kill(signal: 'SIGKILL'): unknown }[] = [];
  const run = (args: string[], input?: string) => {
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', input });
    if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
  };
  const ip = (command: string) => run(['-n', namespace, ...command.split(' ')]);
  const launch = (command: string[], stdin: 'pipe' | number) => {
    const [file = '', ...args] = [...within, ...command];
    const child = spawn(file, args, { stdio: [stdin, 'pipe', 'inherit'] });
    started.push(child);
    return child;
  };
  run(['netns', 'add', namespace]);
  ip('link set lo up');
  return {
    within,
    ip,
    tries: (command) => spawnSync(program, ['-n', namespace, ...command.split(' ')]).status === 0,
    batch: (lines) => run(['-n', namespace, '-batch', '-'], `${lines.join('\n')}\n`),
    reader(...options) {
      const script = path.join(import.meta.dirname, 'networks-reader.ts');
      return talkTo(launch([process.execPath, script, ...options], 'pipe'));
    },
    async start(file, args, input = '/dev/null') {
      const descriptor = fs.openSync(input, 'r');
      const child = launch([file, ...args], descriptor);
      fs.closeSync(descriptor);
      return await new Promise((resolve, reject) => {
        if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve);
        child.once('exit', (code) => reject(new Error(`${file} ended with ${code}; see its output`)));
      });
    },
    remove() {
      for (const child of started) child.kill('SIGKILL');
      run(['netns', 'delete', namespace]);
    },
  };
}

function talkTo(child: ChildProcess): NetworksReader {
  const pushes: Push[] = [];
  const waiting: PromiseWithResolvers<unknown>[] = [];
  let ended: Error | null = null;
  if (child.stdout === null || child.stdin === null) throw new Error('the reader has no pipes');
  const { stdin } = child;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line);
    if ('pushed' in said) pushes.push(said);
    else waiting.shift()?.resolve(said.answer);
  });
  child.once('exit', (code) => {
    ended = new Error(`the reader ended with ${code}; see its output`);
    for (const { reject } of waiting) reject(ended);
  });
  const ask = (command: string): Promise<never> => {
    if (ended !== null) throw ended;
    const answer = Promise.withResolvers<unknown>();
    waiting.push(answer);
    stdin.write(`${command}\n`);
    return answer.promise as Promise<never>;
  };
  return {
    read: () => ask('read'),
    listen: () => ask('listen'),
    unlisten: () => ask('unlisten'),
    cpu: () => ask('cpu'),
    pushes,
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Two networks with a cable between them: 10.77.0.1 here, 10.77.0.2 there (pair1). */
export function createPairOfNetworks(): { here: PrivateNetwork; there: PrivateNetwork } {
  const here = createPrivateNetwork('pair-here');
  const there = createPrivateNetwork('pair-there');
  here.ip(`link add pair0 type veth peer name pair1 netns ${there.within.at(-1)}`);
  here.ip('addr add 10.77.0.1/16 dev pair0');
  here.ip('link set pair0 up');
  there.ip('addr add 10.77.0.2/16 dev pair1');
  there.ip('link set pair1 up');
  return { here, there };
}
