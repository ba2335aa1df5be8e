/** Every module once a second during load spikes of processes, while links and mounts change: `soak-collect.ts [minutes]`. Memory, descriptors and threads must stay flat, and the log free of errors. Needs root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { commandLine } from '../test/real/harness/service.ts';
import { createPool, getRequest } from './harness/client.ts';
import { availableForms, note, pause, startHostler, startProgram, temporaryDirectory } from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { cpuMs, openDescriptors, resident, threads } from './harness/process.ts';
import { beside, compile } from './harness/subject.ts';
import { createChanges, makePlaces } from './soak/collect-changes.ts';
import { printCollectSoak, type Sample, type Traffic } from './soak/collect-report.ts';

const minutes = Number(process.argv[2] ?? 30);
const everyMs = 1000;
const sampleMs = 10_000;
const forksPerSecond = 1000;
/** Two spikes: what the second one leaves behind must not add to what the first one left. */
const spikesAt = [0.1, 0.55];
const spikeSeconds = Math.min(120, Math.round(minutes * 60 * 0.15));

await enterNamespaces({ required: true });
await soak();

async function soak(): Promise<void> {
  const directory = temporaryDirectory();
  const spike = compile('soak/collect-spike');

  const form = availableForms().at(-1) ?? 'source';
  const places = makePlaces(directory);
  const shown = [...places.single, ...places.many];
  fs.mkdirSync(path.join(directory, 'config'));
  fs.writeFileSync(
    path.join(directory, 'config', 'settings.json'),
    JSON.stringify({ disks: { allowedSecondaryMountPoints: shown } }),
  );
  const service = await startHostler(form, { directory });
  const [bun, ...flags] = commandLine(false).slice(0, -1);
  const listener = await startProgram(
    'every module listened to',
    [bun ?? process.execPath, ...flags, beside('soak/collect-listener.ts'), ...shown],
    { port: 0, env: { PATH: process.env.PATH ?? '', HOME: directory }, says: 'listening on' },
  );
  const subjects = [service, listener];
  const modules = await readableModules(service.port, service.token);
  const changes = createChanges(places);

  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const endMs = minutes * 60_000;
  const startedCpu = subjects.map(({ pid }) => cpuMs(pid));
  const samples: Sample[][] = subjects.map(() => []);
  const spikes: Promise<unknown>[] = [];
  const spikeTimers = spikesAt.map((share) =>
    setTimeout(() => {
      const args = [String(forksPerSecond), String(spikeSeconds)];
      spikes.push(once(spawn(spike, args, { stdio: 'ignore' }), 'exit'));
      note(`${Math.round(elapsed() / 1000)} s: ${spikeSeconds} s of ${forksPerSecond} processes a second begin`);
    }, share * endMs),
  );
  const sampling = setInterval(() => {
    for (const [index, { pid }] of subjects.entries()) samples[index]?.push(sample(pid, elapsed()));
    note(`${Math.round(elapsed() / 1000)} s: ${samples.map((each) => describe(each.at(-1))).join(' · ')}`);
  }, sampleMs);

  const traffic: Traffic = { answers: 0, unexpected: [], slowest: { ms: 0, name: '', second: 0 } };
  const pool = createPool(service.port);
  while (elapsed() < endMs) {
    const begun = performance.now();
    for (const name of modules) {
      const asked = performance.now();
      const outcome = await pool.ask(getRequest(`/api/data/${name}`, { 'X-API-Token': service.token })).then(
        ({ status }) => String(status),
        (error) => String(error),
      );
      const ms = performance.now() - asked;
      traffic.answers += 1;
      if (ms > traffic.slowest.ms) traffic.slowest = { ms, name, second: elapsed() / 1000 };
      if (outcome !== '200') traffic.unexpected.push(`${Math.round(elapsed() / 1000)} s, ${name}: ${outcome}`);
    }
    await pause(Math.max(0, everyMs - (performance.now() - begun)));
  }
  clearInterval(sampling);
  for (const timer of spikeTimers) clearTimeout(timer);
  await Promise.all(spikes);
  await changes.stop();
  pool.close();
  await pause(5000);
  const [firstSpike = 0, secondSpike = 0] = spikesAt.map((share) => share * minutes * 60);
  printCollectSoak({
    minutes,
    calm: [
      { from: firstSpike + spikeSeconds, to: secondSpike },
      { from: secondSpike + spikeSeconds, to: Number.POSITIVE_INFINITY },
    ],
    form,
    modules,
    traffic,
    changes: { ...changes.counts(), processes: forksPerSecond * spikeSeconds * spikes.length },
    failures: changes.failures,
    subjects: subjects.map(({ name, pid, output }, index) => ({
      name,
      samples: samples[index] ?? [],
      atEnd: sample(pid, elapsed()),
      cpuSeconds: (cpuMs(pid) - (startedCpu[index] ?? 0)) / 1000,
      log: output().split('\n'),
    })),
  });
  for (const subject of subjects) await subject.stop();
}

function sample(pid: number, elapsedMs: number): Sample {
  const { total, own } = resident(pid);
  return {
    second: Math.round(elapsedMs / 1000),
    resident: total,
    own,
    descriptors: openDescriptors(pid),
    threads: threads(pid),
  };
}

function describe(sampled: Sample | undefined): string {
  if (sampled === undefined) return '';
  const { resident: total, descriptors, threads: count } = sampled;
  return `${total.toFixed(1)} MiB, ${descriptors} descriptors, ${count} threads`;
}
