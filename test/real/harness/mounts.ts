import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Reason } from '../../../src/core/reasons.ts';
import type { Disks, Partition } from '../../../src/features/disks/disks.schema.ts';
import { until } from '../../harness/until.ts';

const python = '/usr/bin/python3';

/** A store with private mounts: no other process sees them, and they are gone with it. */
export interface PrivateMounts {
  /** Where mount points can be created. */
  directory: string;
  ask(request: 'disks'): Promise<{ answer: Disks; ms: number }>;
  ask(request: 'reasons'): Promise<{ answer: Reason[]; ms: number }>;
  ask(request: 'memory' | 'threads' | 'listen' | 'descriptors'): Promise<{ answer: unknown; ms: number }>;
  /** What was pushed so far. */
  pushed: Disks[];
  /** The current partition at a mount point, by its name in JSON. */
  at(place: string): Promise<Partition | undefined>;
  /** Runs a program among these mounts, and returns its output. */
  run(program: string, ...args: string[]): string;
  /** Starts one, and waits until it prints `mounted`; ended with the rest. */
  start(script: string, ...args: string[]): Promise<{ pid: number; said(): string }>;
  remove(): Promise<void>;
}

export async function createPrivateMounts(allowed: (directory: string) => string[] = () => []): Promise<PrivateMounts> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-mounts-'));
  const reader = path.join(import.meta.dirname, 'disks-store.ts');
  const store = spawn(
    'unshare',
    [
      '--mount',
      '--propagation=private',
      process.execPath,
      '--no-env-file',
      '--config=/dev/null',
      reader,
      ...allowed(directory),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const started: ChildProcess[] = [];
  const pushed: Disks[] = [];
  const waiting = new Map<string, PromiseWithResolvers<{ answer: unknown; ms: number }>[]>();
  createInterface({ input: store.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.pushed !== undefined) pushed.push(message.pushed);
    else waiting.get(message.request)?.shift()?.resolve(message);
  });
  const ask = (request: string) => {
    const answer = Promise.withResolvers<{ answer: unknown; ms: number }>();
    waiting.set(request, [...(waiting.get(request) ?? []), answer]);
    store.stdin.write(`${request}\n`);
    return answer.promise;
  };
  const inside = (program: string, args: string[]): [string, string[]] => [
    'nsenter',
    ['--target', String(store.pid), '--mount', '--', program, ...args],
  ];
  // Only then the namespace of the store is entered.
  await ask('memory');
  return {
    directory,
    pushed,
    ask: ask as PrivateMounts['ask'],
    async at(place) {
      const { answer } = (await ask('disks')) as { answer: Disks };
      return answer.devices.flatMap(({ partitions }) => partitions).find(({ mount_point }) => mount_point === place);
    },
    run: (program, ...args) =>
      execFileSync(...inside(program, args), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
    async start(script, ...args) {
      const child = spawn(...inside(python, [path.join(import.meta.dirname, script), ...args]), {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      started.push(child);
      let said = '';
      child.stdout.on('data', (chunk) => {
        said += chunk;
      });
      await until(() => said.includes('mounted'), `${script} to be mounted`);
      return { pid: child.pid ?? 0, said: () => said };
    },
    async remove() {
      for (const child of started) child.kill('SIGKILL');
      const ended = new Promise((resolve) => store.once('exit', resolve));
      store.stdin.end();
      await ended;
      fs.rmSync(directory, { recursive: true });
    },
  };
}
