/**
 * A long run of the compiled service: `long-run.ts [minutes]`. In its own booted system: listeners, polls, wrong tokens, sleep, buses that restart,
 * log-ins and log-outs, and in the middle a load spike of mounts and sockets. Needs root and what the tests that boot a system need.
 */

import { note, pause } from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { cpuMs, descriptorsOf, resident, threads } from './harness/process.ts';
import { startClients } from './long-run/clients.ts';
import { startMachine } from './long-run/machine.ts';
import { printRun, type RunSample } from './long-run/report.ts';

const minutes = Number(process.argv[2] ?? 180);
const runMs = minutes * 60_000;
const sampleMs = Math.min(10_000, runMs / 100);
const spike = { at: 0.45 * runMs, forMs: Math.min(600_000, 0.15 * runMs), mounts: 1000, sockets: 10_000 };
/** How often in one run. */
const times = { logins: 9, systemBus: 6, sessionBus: 6, sleeps: 5 };

const machine = await startMachine();
const { service, pid } = machine;
const startedAt = performance.now();
const elapsed = () => performance.now() - startedAt;
const happened = new Map<string, number>();
const problems: string[] = [];
const samples: RunSample[] = [];

const happen = async (what: string, act: () => Promise<void>) => {
  note(`${Math.round(elapsed() / 1000)} s: ${what}`);
  await act().then(
    () => happened.set(what, (happened.get(what) ?? 0) + 1),
    (error) => problems.push(`${Math.round(elapsed() / 1000)} s, ${what}: ${error}`),
  );
};
/** At evenly spread moments, shifted so that not everything happens at once. */
const spread = async (count: number, shift: number, act: () => Promise<void>) => {
  for (let turn = 0; turn < count; turn += 1) {
    await pause(Math.max(0, ((turn + shift) / count) * runMs - elapsed()));
    if (elapsed() < runMs) await act();
  }
};

const modules = await readableModules(service.port, service.token);
const startedCpu = cpuMs(pid);
const clients = startClients({ port: service.port, token: service.token, modules, elapsed });
const sampling = setInterval(() => {
  samples.push(sample());
  const { total, descriptors, threads: count } = samples.at(-1) ?? sample();
  note(`${Math.round(elapsed() / 1000)} s: ${total.toFixed(1)} MiB, ${descriptors} descriptors, ${count} threads`);
}, sampleMs);

const runSpike = async () => {
  await pause(spike.at);
  await happen(`${spike.mounts} mounts`, () => machine.mountMany(spike.mounts));
  await happen(`${spike.sockets} sockets`, () => machine.openSockets(spike.sockets));
  await pause(Math.max(0, spike.at + spike.forMs - elapsed()));
  await machine.endSockets();
  await machine.unmountMany();
  return elapsed();
};
const [calmAt] = await Promise.all([
  runSpike(),
  spread(times.logins, 0.3, async () => {
    await happen('log-out', machine.logOut);
    await pause(Math.min(60_000, runMs / 100));
    await happen('log-in', machine.logIn);
  }),
  spread(times.systemBus, 0.6, () => happen('restart of the system bus', machine.restartSystemBus)),
  spread(times.sessionBus, 0.8, () => happen('restart of the session bus', machine.restartSessionBus)),
  spread(times.sleeps, 0.45, () => happen('sleep', machine.sleepForAnHour)),
]);
await pause(Math.max(0, runMs - elapsed()));
clearInterval(sampling);
await clients.stop();
await pause(Math.min(35_000, runMs / 10));
printRun({
  minutes,
  modules,
  samples,
  atEnd: sample(),
  // The first third warms up; the last quarter is far from the spike.
  before: { from: spike.at / 2, to: spike.at },
  spike: { from: spike.at, to: calmAt },
  after: { from: Math.max(calmAt, runMs * 0.75), to: runMs },
  cpuSeconds: (cpuMs(pid) - startedCpu) / 1000,
  happened,
  problems,
  outcome: clients.outcome(),
  log: service.log().split('\n'),
});
await machine.remove();
process.exit(0);

function sample(): RunSample {
  const { total, own } = resident(pid);
  const { own: descriptors, perProcess } = descriptorsOf(pid);
  return { ms: elapsed(), total, own, descriptors, perProcess, threads: threads(pid) };
}
