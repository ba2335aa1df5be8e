/** For each line on stdin: our reading of all processes, the CPU milliseconds that took, and how long the event loop was held up. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { collectReasons } from '../src/core/reasons.ts';
import { createHost } from '../src/host/create-host.ts';
// Loaded before it becomes somebody who may not read this directory.
import '../src/host/linux/process-clock.ts';
import { processesLinux } from '../src/modules/processes/processes.linux.ts';
import { fakeContext } from '../test/fake-host.ts';

const [uid] = process.argv.slice(2).map(Number);
if (uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

const host = createHost('6.0.0', 'linux');
const source = processesLinux(host, fakeContext());
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'delay') await measureDelay();
  else await measureCpu();
}

async function measureCpu(): Promise<void> {
  const begun = cpuMs();
  const payload = (await source.read(collectReasons().reasons)) ?? [];
  const read = cpuMs();
  const { length } = JSON.stringify(payload);
  const json = cpuMs() - read;
  answer({ cpu: read - begun, json, bytes: length, processes: payload.length });
}

/** The timer of the monitor ticks every millisecond, so this is no measure of CPU time. */
async function measureDelay(): Promise<void> {
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  monitor.enable();
  await pause(100);
  const quiet = await heldUp(monitor, () => pause(200));
  const reading = await heldUp(monitor, async () => source.read(collectReasons().reasons));
  monitor.disable();
  answer({ quiet, delay: reading });
}

async function heldUp(monitor: { reset(): void; readonly max: number }, work: () => Promise<unknown>): Promise<number> {
  monitor.reset();
  await work();
  // The monitor notices when its timer comes next.
  await pause(10);
  return monitor.max / 1e6;
}

function answer(values: Record<string, number>): void {
  process.stdout.write(`${JSON.stringify(values)}\n`);
}
