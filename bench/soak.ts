/** Mixed traffic for a long time: `soak.ts [minutes] [source|compiled]`. Memory and descriptors must stay flat, and the log free of errors. */
import fs from 'node:fs';
import path from 'node:path';
import { availableForms, pause, type RunningHostler, startHostler, temporaryDirectory } from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { cpuMs, type Descriptors, descriptorsOf, resident } from './harness/process.ts';
import { printSoak, type Sample } from './soak/report.ts';
import { createTraffic } from './soak/traffic.ts';

const minutes = Number(process.argv[2] ?? 20);
const form = availableForms().find((each) => each === process.argv[3]) ?? 'source';
const sampleMs = Math.min(10_000, (minutes * 60_000) / 12);

const directory = temporaryDirectory();
const home = path.join(directory, 'home');
fs.mkdirSync(home);
fs.writeFileSync(path.join(home, 'film.mp4'), Buffer.alloc(20 * 1024 * 1024, 'hostler '));
fs.writeFileSync(path.join(home, 'song.mp3'), Buffer.alloc(100_000, 'hostler '));
const hostler = await startHostler(form, { directory });
const modules = await readableModules(hostler.port, hostler.token);

// What stays open after the first use is open before the count begins.
const before = await descriptorsAfter(hostler, 5);
const samples: Sample[] = [];
const startedAt = performance.now();
const elapsed = () => performance.now() - startedAt;
const startedCpu = cpuMs(hostler.pid);
const traffic = createTraffic({ port: hostler.port, token: hostler.token, modules });
while (elapsed() < minutes * 60_000 && traffic.outcome().broken === null) {
  await pause(Math.min(sampleMs, minutes * 60_000 - elapsed()));
  samples.push(sample(hostler.pid));
}
await traffic.stop();
const cpuSeconds = (cpuMs(hostler.pid) - startedCpu) / 1000;
const after = await openWhenQuiet(hostler.pid);
const atEnd = sample(hostler.pid);
printSoak({
  title: `Soak of ${minutes} min, hostler, ${form}`,
  minutes,
  samples,
  atEnd,
  before,
  after,
  cpuSeconds,
  log: hostler.output().split('\n'),
  outcome: traffic.outcome(),
});
await hostler.stop();

function sample(pid: number): Sample {
  const { total, own } = resident(pid);
  return { second: Math.round(elapsed() / 1000), resident: total, own, descriptors: descriptorsOf(pid).own };
}

async function descriptorsAfter({ port, token, pid }: RunningHostler, seconds: number): Promise<Descriptors> {
  const first = createTraffic({ port, token, modules });
  await pause(seconds * 1000);
  await first.stop();
  return openWhenQuiet(pid);
}

/** Connections of ours have ended; the other side notices some of them later. */
async function openWhenQuiet(pid: number): Promise<Descriptors> {
  const counts: number[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    await pause(500);
    counts.push(descriptorsOf(pid).own);
    if (turn >= 6 && new Set(counts.slice(-4)).size === 1) break;
  }
  // What is held for a process that ended is freed at the next reading.
  await readableModules(hostler.port, hostler.token);
  await pause(500);
  return descriptorsOf(pid);
}
