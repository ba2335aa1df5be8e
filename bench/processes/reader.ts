/** For each line on stdin: our reading of all processes, the CPU milliseconds that took, and how long the event loop was held up. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { startThread } from '../../src/app/threads/start-thread.ts';
import { collectReasons } from '../../src/core/reasons.ts';
import { address, openLibrary, pinned } from '../../src/host/ffi.ts';
import { createLinuxHost } from '../../src/host/linux/create-linux-host.ts';
// Loaded before the process becomes a user that cannot read this directory.
import '../../src/host/linux/proc/process-clock.ts';
import { processesLinux } from '../../src/features/processes/processes.linux.ts';
import { fakeContext } from '../../test/doubles/fake-host.ts';

const [uid] = process.argv.slice(2).map(Number);
if (uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

const library = openLibrary(['libc.so.6', 'libc.musl-aarch64.so.1', 'libc.musl-x86_64.so.1'], {
  clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
});
const time = pinned(16);
const view = new DataView(time.buffer);
const host = createLinuxHost('6.0.0', startThread);
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

/** How long others had to wait, and how much of that we had the processor: the rest is what else runs on the machine. */
async function measureDelay(): Promise<void> {
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  monitor.enable();
  await pause(100);
  const quiet = await heldUp(monitor, () => pause(200));
  const reading = await heldUp(monitor, async () => source.read(collectReasons().reasons));
  monitor.disable();
  answer({ quiet: quiet.delay, ...reading });
}

async function heldUp(
  monitor: { reset(): void; readonly max: number },
  work: () => Promise<unknown>,
): Promise<{ delay: number; turn: number }> {
  let turn = 0;
  let turnedAt = threadCpuMs();
  const endTurn = () => {
    turn = Math.max(turn, threadCpuMs() - turnedAt);
    turnedAt = threadCpuMs();
  };
  const turns = setInterval(endTurn, 1);
  monitor.reset();
  await work();
  endTurn();
  clearInterval(turns);
  // The monitor notices when its timer comes next.
  await pause(10);
  return { delay: monitor.max / 1e6, turn };
}

function threadCpuMs(): number {
  const thread = 3;
  library?.symbols.clock_gettime(thread, address(time));
  return Number(view.getBigInt64(0, true)) * 1000 + Number(view.getBigInt64(8, true)) / 1e6;
}

function answer(values: Record<string, number>): void {
  process.stdout.write(`${JSON.stringify(values)}\n`);
}
