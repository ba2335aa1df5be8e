/** What one reading of each module costs, once a second, beside C that only reads the same files, psutil and systeminformation: `collect.ts [rounds]`. All in turn. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../test/real/harness/service.ts';
import { printTable, ratio, spread, verdict } from './harness/figures.ts';
import { note, pause, temporaryDirectory } from './harness/harness.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { beside, compile, countProcesses, fillWithProcesses, startSubject } from './harness/subject.ts';

const rounds = Number(process.argv[2] ?? 20);
/** systeminformation starts programs: it would take all the time of the others. */
const fewRounds = 3;
const everyMs = 1000;
const processes = 200;
/** The runtime compiles what is used often. */
const warmRounds = 60;
const python = '/usr/bin/python3';

/** What the floor opens, reads and closes; it reads neither connections nor file systems. */
const files: Record<string, string[]> = {
  cpu: ['/proc/stat', '/proc/loadavg'],
  disks: ['/proc/diskstats', '/proc/self/mountinfo'],
  memory: ['/proc/meminfo', '/proc/vmstat'],
  networks: ['/proc/net/dev'],
};
const socketFiles = ['dev', 'tcp', 'tcp6', 'udp', 'udp6'].map((name) => `/proc/net/${name}`);
const socketSizes = [2000, 5000];
const psutilGoal = 8;
const holderScript = path.join(root, 'test', 'real', 'sockets.py');
const names = ['battery', 'cpu', 'disks', 'gpus', 'memory', 'networks', 'processes', 'sensors', 'system'];
const kinds = ['floor', 'ours', 'json', 'psutil', 'systeminformation'] as const;

await enterNamespaces({ required: false });
await fillWithProcesses(processes);
const floor = startSubject([compile('collect/floor')]);
const processesFloor = startSubject([compile('processes/floor')]);
const ours = startSubject([process.execPath, '--no-env-file', '--config=/dev/null', beside('collect/reader.ts')]);
const psutil = fs.existsSync('/usr/lib/python3/dist-packages/psutil')
  ? startSubject([python, beside('collect/psutil.py')])
  : left('psutil', 'python3-psutil is not installed');
const systeminformation = startSysteminformation();

const costs = new Map(names.map((name) => [name, emptyCosts()]));
for (let round = 0; round < warmRounds; round += 1) {
  for (const name of names) await ours.measure(name);
  await pause(110);
}
for (const name of names) await measureOthers(name, false);
for (let round = -2; round < rounds; round += 1) {
  const begun = performance.now();
  for (const name of names) await measure(name, round);
  await pause(Math.max(0, everyMs - (performance.now() - begun)));
}
printTable(
  `One reading of each module, CPU µs: median (least-most) of ${rounds} a second apart, about ${countProcesses()} processes`,
  ['', 'C floor', 'hostler', 'its JSON', 'psutil', `systeminformation (${fewRounds})`, 'of the floor', 'below psutil'],
  names.map((name) => {
    const of = costs.get(name) ?? emptyCosts();
    const shown = kinds.map((kind) => (of[kind].length === 0 ? '' : spread(of[kind], 0)));
    return [name, ...shown, quotient(of.ours, of.floor, 2), quotient(of.psutil, of.ours, 1)];
  }),
);

const sized: string[][] = [];
for (const size of socketSizes) sized.push(await measureSockets(size));
printTable(
  `networks with many connections, their processes included, CPU µs: median (least-most) of ${rounds} a second apart`,
  [
    'sockets',
    'C floor (text of /proc/net)',
    'hostler',
    'its JSON',
    'psutil',
    'of the floor',
    'below psutil',
    'goal',
    'reached',
  ],
  sized,
);
for (const subject of [floor, processesFloor, ours, psutil, systeminformation]) subject?.end();
process.exit(0);

async function measureSockets(size: number): Promise<string[]> {
  const holder = spawn(python, [holderScript, String(size / 2)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => void holder.kill('SIGKILL');
  process.once('exit', end);
  await once(holder.stdout, 'data');
  const of = emptyCosts();
  for (let round = -10; round < rounds; round += 1) {
    const begun = performance.now();
    const reading = await ours.measure('networks');
    const read = await floor.measure(socketFiles.join(' '));
    const theirs = await psutil?.measure('networks');
    if (round >= 0) {
      of.ours.push(reading.cpu ?? 0);
      of.json.push(reading.json ?? 0);
      of.floor.push(read.cpu ?? 0);
      if (theirs?.cpu !== undefined) of.psutil.push(theirs.cpu);
    }
    await pause(Math.max(0, (round < 0 ? 200 : everyMs) - (performance.now() - begun)));
  }
  end();
  const times = quotient(of.psutil, of.ours, 1);
  return [
    String(size),
    ...[of.floor, of.ours, of.json].map((values) => spread(values, 0)),
    of.psutil.length === 0 ? '' : spread(of.psutil, 0),
    quotient(of.ours, of.floor, 2),
    times,
    `≥ ${psutilGoal}x`,
    times === '' ? '' : verdict(Number(times) >= psutilGoal),
  ];
}

function emptyCosts(): Record<(typeof kinds)[number], number[]> {
  return { floor: [], ours: [], json: [], psutil: [], systeminformation: [] };
}

/** Rounds before the first one establish the rhythm: a hurried read has a different cost. */
async function measure(name: string, round: number): Promise<void> {
  const of = costs.get(name) ?? emptyCosts();
  const reading = await ours.measure(name);
  const others = await measureOthers(name, round >= 0 && round < fewRounds);
  if (round < 0) return;
  const measured = { ours: reading.cpu, json: reading.json, ...others };
  for (const kind of kinds) {
    const value = measured[kind];
    if (value !== undefined) of[kind].push(value);
  }
}

async function measureOthers(name: string, slow: boolean): Promise<Partial<Record<(typeof kinds)[number], number>>> {
  const read = files[name];
  const inProcesses = name === 'processes' ? (await processesFloor.measure('cpu')).cpu : undefined;
  return {
    ...(read === undefined ? {} : { floor: (await floor.measure(read.join(' '))).cpu }),
    ...(inProcesses === undefined ? {} : { floor: inProcesses * 1000 }),
    ...(psutil === null ? {} : { psutil: (await psutil.measure(name)).cpu }),
    ...(systeminformation === null || !slow ? {} : { systeminformation: (await systeminformation.measure(name)).cpu }),
  };
}

/** Never a dependency of ours: it is fetched for this run only. */
function startSysteminformation() {
  const directory = temporaryDirectory();
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--prefix', directory, '--no-audit', '--no-fund', 'systeminformation@5'],
    { encoding: 'utf8', timeout: 120_000 },
  );
  if (status !== 0) return left('systeminformation', error?.message ?? stderr.trim());
  return startSubject(['node', beside('collect/systeminformation.mjs'), directory]);
}

function left(what: string, why: string): null {
  note(`${what} is left out: ${why}`);
  return null;
}

function quotient(values: number[], base: number[], digits: number): string {
  return values.length === 0 || values.length !== base.length ? '' : ratio(values, base).toFixed(digits);
}
