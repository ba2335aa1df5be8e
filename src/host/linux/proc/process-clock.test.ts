import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { until } from '../../../../test/harness/until.ts';
import { currentPlatform } from '../../../lib/platform.ts';
import { openCpuClocks, type ProcessClock } from './process-clock.ts';

function clock(): ProcessClock {
  const opened = openCpuClocks()?.ofProcess ?? null;
  if (opened === null) throw new Error('there is no C library');
  return opened;
}

test.skipIf(currentPlatform !== 'linux')('our own CPU time equals that of the runtime, and grows with work', () => {
  const read = clock();
  const before = process.cpuUsage();
  const measured = read(process.pid) ?? 0;
  const after = process.cpuUsage();
  // The runtime counts whole microseconds.
  expect(measured).toBeGreaterThanOrEqual((before.user + before.system - 2) * 1000);
  expect(measured).toBeLessThanOrEqual((after.user + after.system + 2) * 1000);
  let sum = 0;
  while (process.cpuUsage(before).user < 20_000) sum += Math.sqrt(sum + 1);
  expect((read(process.pid) ?? 0) - measured).toBeGreaterThan(15_000_000);
});

test.skipIf(currentPlatform !== 'linux')(
  'our own thread has used at most what the process has, and more after work',
  () => {
    const ofThread = openCpuClocks()?.ofThread ?? (() => 0);
    const before = ofThread();
    const started = process.cpuUsage();
    let sum = 0;
    while (process.cpuUsage(started).user < 20_000) sum += Math.sqrt(sum + 1);
    expect(ofThread() - before).toBeGreaterThan(10);
    expect(ofThread() * 1e6).toBeLessThanOrEqual(clock()(process.pid) ?? 0);
  },
);

test.skipIf(currentPlatform !== 'linux')('a stopped process uses no CPU time, and an ended one is null', async () => {
  const read = clock();
  const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const state = () => fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0];
  await until(() => state() === 'S', 'it sleeps');
  child.kill('SIGSTOP');
  await until(() => state() === 'T', 'it is stopped');
  // Its state changes a moment before it stops.
  await until(async () => {
    const stopped = read(pid);
    expect(stopped).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return read(pid) === stopped;
  }, 'no CPU time passes for it');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(read(pid)).toBeNull();
});
