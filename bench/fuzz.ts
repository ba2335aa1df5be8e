/** Throws junk at every way into the service: it must neither end, nor grow, nor answer 500, nor write of anything it did not expect. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { http } from './fuzz/http.ts';
import { createJunk } from './fuzz/junk.ts';
import { login } from './fuzz/login.ts';
import { mcp } from './fuzz/mcp.ts';
import { pairing } from './fuzz/pairing.ts';
import { settings } from './fuzz/settings.ts';
import { type Surface, withoutToken } from './fuzz/surface.ts';
import { tokens } from './fuzz/tokens.ts';
import { ws } from './fuzz/ws.ts';
import { printTable, verdict } from './harness/figures.ts';
import { note, pause, startBare, startHostler, temporaryDirectory } from './harness/harness.ts';
import { descriptorsOf, resident } from './harness/process.ts';
import { watchHealth } from './unauthenticated-clients/health.ts';

const surfaces = [http, ws, mcp, withoutToken(http), withoutToken(ws), login, pairing, settings, tokens];
const minutes = Number(process.argv[2] ?? 10);
const wanted = process.argv.slice(3);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** What is left when all have gone; a service that was used has more open than one that never was. */
const limits = { peakMiB: { unauthenticated: 150, caller: 256 }, grownBy: 1.25, descriptors: 40 };

const unknown = wanted.filter((name) => !surfaces.some((surface) => surface.name === name));
if (unknown.length > 0 || Number.isNaN(minutes)) {
  note(`usage: fuzz.ts [minutes] [${surfaces.map(({ name }) => name).join('|')} …]; SEED=number repeats a run`);
  process.exit(2);
}
note(`seed ${seed}`);
const bare = await startBare('source');
const rows: string[][] = [];
let failed = false;
for (const surface of surfaces)
  if (wanted.length === 0 || wanted.includes(surface.name)) rows.push(await fuzz(surface));
printTable(
  `fuzz: ${minutes} minutes each, seed ${seed}`,
  [
    '',
    'sent',
    'answers by status',
    'health p50, ms',
    'p99, ms',
    'p99 of an idle server, ms',
    'MiB after a quarter',
    'at the end',
    'peak',
    'descriptors before',
    'after',
    'load',
    'passed',
  ],
  rows,
);
process.exit(failed ? 1 : 0);

async function fuzz(surface: Surface): Promise<string[]> {
  const directory = temporaryDirectory();
  surface.prepare?.(directory);
  const hostler = await startHostler('source', { directory, env: { HOSTLER_ETC: path.join(directory, 'etc') } });
  const health = await watchHealth({ ...hostler, quietPort: bare.port });
  const before = descriptorsOf(hostler.pid).own;
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  let count = 0;
  let quarterMiB = 0;
  const end = performance.now() + minutes * 60_000;
  const timer = setTimeout(() => {
    quarterMiB = resident(hostler.pid).total;
  }, minutes * 15_000);
  const isAlive = () => fs.existsSync(`/proc/${hostler.pid}/status`);
  await surface.throwJunk({
    hostler,
    directory,
    seed,
    junk: createJunk(seed),
    isOver: () => performance.now() > end || faults.length > 20 || !isAlive(),
    sent: () => void count++,
    answered(status, to) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 500) faults.push(`answered 500 to ${JSON.stringify(to)}`);
    },
    fault: (sentence) => void faults.push(sentence),
  });
  clearTimeout(timer);
  if (!isAlive()) {
    await health.stop().catch(() => {});
    failed = true;
    note(`${surface.name}: the service ended. ${hostler.output().slice(-3000)}`);
    return [surface.name, String(count), ...Array(10).fill(''), verdict(false)];
  }
  const { times, quietTimes, peak } = await health.stop();
  // Open connections end meanwhile, and short-lived caches are freed.
  await pause(Math.min(15_000, minutes * 30_000));
  const after = descriptorsOf(hostler.pid).own;
  const endMiB = resident(hostler.pid).total;
  for (const line of linesAbove(hostler.output())) {
    if (!surface.expected.some((expected) => expected.test(line))) faults.push(`wrote: ${line}`);
  }
  if (peak > limits.peakMiB[surface.by]) faults.push(`took ${peak.toFixed(0)} MiB`);
  // A short run is over before the runtime has compiled what is used most.
  if (minutes >= 4 && endMiB > quarterMiB * limits.grownBy)
    faults.push(`grew from ${quarterMiB.toFixed(0)} to ${endMiB.toFixed(0)} MiB`);
  if (after > before + limits.descriptors) faults.push(`has ${after} descriptors, ${before} before`);
  await hostler.stop();
  for (const fault of faults.slice(0, 20)) note(`${surface.name}: ${fault.slice(0, 3000)}`);
  failed ||= faults.length > 0;
  const figures = [at(times, 0.5), at(times, 0.99), at(quietTimes, 0.99), quarterMiB, endMiB, peak].map((value) =>
    value.toFixed(1),
  );
  const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
  const row = [
    surface.name,
    String(count),
    byStatus.join(', '),
    ...figures,
    String(before),
    String(after),
    loadNow(),
    verdict(faults.length === 0),
  ];
  note(row.join('  '));
  return row;
}

/** Lines above the level info, without those of the start; lines of a crash have no level. */
function linesAbove(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => line !== '' && !/^\S+ (?:INFO|DEBUG) |^Hostler \S+ is listening on|^The token is in /.test(line));
}

function loadNow(): string {
  return (os.loadavg()[1] ?? 0).toFixed(1);
}

function at(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
