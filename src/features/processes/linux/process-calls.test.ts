import { afterEach, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import { errnos, openProcessCalls, signals } from './process-calls.ts';

const isLinux = fs.existsSync('/proc/self/stat');
const machine = os.machine() === 'arm64' ? 'aarch64' : os.machine();
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

test.skipIf(!isLinux)('a handle refers to one process and to no other after its end', async () => {
  const calls = openProcessCalls(machine);
  const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  started.push(child);
  const handle = calls.open(child.pid ?? 0);
  if (typeof handle === 'number') throw new Error(`error ${handle}`);
  expect(handle.send(0)).toBe(0);
  const ended = once(child, 'exit');
  expect(handle.send(signals.KILL)).toBe(0);
  await ended;
  expect(handle.send(signals.KILL)).toBe(errnos.ESRCH);
  expect(calls.open(child.pid ?? 0)).toBe(errnos.ESRCH);
  handle.close();
});

test.skipIf(!isLinux)('opening a PID without a process returns errno', () => {
  const calls = openProcessCalls(machine);
  expect(calls.open(-1)).toBe(errnos.EINVAL);
  expect(calls.open(2 ** 22 + 1)).toBe(errnos.ESRCH);
  expect(calls.setNice(2 ** 22 + 1, 5)).toBe(errnos.ESRCH);
  expect(calls.ioPriority(2 ** 22 + 1)).toBeNull();
});

test.skipIf(!isLinux)('an I/O priority is read back as it was set, and is unsupported on unknown architectures', () => {
  const calls = openProcessCalls(machine);
  const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  started.push(child);
  const idle = 3 << 13;
  expect(calls.setIoPriority(child.pid ?? 0, idle)).toBe(0);
  expect(calls.ioPriority(child.pid ?? 0)).toBe(idle);
  const elsewhere = openProcessCalls('riscv64');
  expect(elsewhere.setIoPriority(child.pid ?? 0, idle)).toBe(errnos.ENOSYS);
  expect(elsewhere.ioPriority(child.pid ?? 0)).toBeNull();
});
