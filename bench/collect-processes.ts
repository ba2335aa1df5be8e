/** What a reading of all processes costs beside a C program that only reads their stat files, and beside psutil. All in turn, every 2 s. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { median, printTable, ratio, spread, verdict } from './harness/figures.ts';
import { note, pause } from './harness/harness.ts';
import { beside, compile, startSubject } from './harness/subject.ts';

const sizes = (process.argv[2] ?? '200,1000,4000').split(',').map(Number);
const rounds = Number(process.argv[3] ?? 20);
const everyMs = 2000;
/** The first readings find out about every process, and the runtime compiles what is used often. */
const warmRounds = 100;
const nobody = '65534';
const python = '/usr/bin/python3';
const goalSize = 1000;
const floorGoal = 0.6;
const psutilGoal = 30;
const delayGoalMs = 10;

const isRoot = process.getuid?.() === 0;
if (isRoot && process.env.OWN_NAMESPACE === undefined) repeatInOwnNamespace();

const herd = compile('processes/herd', '-pthread');
const floor = compile('processes/floor');
fs.chmodSync(path.dirname(floor), 0o755);
if (!isRoot)
  note('not root: what else runs on this machine is listed as well, and everything is measured as this user.');

const costs: string[][] = [];
const delays: string[][] = [];
for (const size of sizes) await measureSize(size);
printTable(
  `Reading all processes, CPU ms, median (least-most) of ${rounds} readings ${everyMs / 1000} s apart, unprivileged, a fifth multi-threaded, 2 % not idle`,
  ['processes', 'C floor', 'hostler', 'its JSON', 'psutil', 'of the floor', 'below psutil', 'goal', 'reached'],
  costs,
);
printTable(
  'How long the event loop was held up meanwhile, ms: median (least-most) of five',
  [
    'processes',
    'without a reading',
    'first reading',
    'worst of later ones',
    'of that, longest time on the processor in one go',
    'goal',
    'reached',
  ],
  delays,
);

async function measureSize(size: number): Promise<void> {
  const running = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length;
  const sleepers = spawn(herd, [String(Math.max(0, size - running))], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(sleepers.stdout, 'data');
  const drop = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
  const reader = [process.execPath, '--no-env-file', '--config=/dev/null', beside('processes/reader.ts')];
  const subjects = {
    floor: startSubject([...drop, floor]),
    ours: startSubject([...reader, ...(isRoot ? [nobody] : [])]),
    psutil: startSubject([...drop, python, beside('processes/psutil.py')]),
  };
  for (let round = 0; round < warmRounds; round += 1) {
    await subjects.ours.measure('cpu');
    await pause(110);
  }
  for (const subject of [subjects.floor, subjects.psutil]) await subject.measure('cpu');
  const values: Record<'floor' | 'ours' | 'json' | 'psutil' | 'processes', number[]> = {
    floor: [],
    ours: [],
    json: [],
    psutil: [],
    processes: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const ours = await subjects.ours.measure('cpu');
    values.ours.push(ours.cpu ?? 0);
    values.json.push(ours.json ?? 0);
    values.processes.push(ours.processes ?? 0);
    values.floor.push((await subjects.floor.measure('cpu')).cpu ?? 0);
    values.psutil.push((await subjects.psutil.measure('cpu')).cpu ?? 0);
    await pause(Math.max(0, everyMs - (performance.now() - begun)));
  }
  for (const subject of Object.values(subjects)) subject.end();
  // Some readings do what others need not: it is the sum that has to reach the goal.
  const share = sum(values.ours) / sum(values.floor);
  const times = sum(values.psutil) / sum(values.ours);
  const isGoal = size === goalSize;
  costs.push([
    median(values.processes).toFixed(0),
    ...[values.floor, values.ours, values.json, values.psutil].map((list) => spread(list, 2)),
    `${ratio(values.ours, values.floor).toFixed(2)}; ${share.toFixed(2)} in sum`,
    `${ratio(values.psutil, values.ours).toFixed(0)}x; ${times.toFixed(0)}x in sum`,
    isGoal ? `≤ ${floorGoal}, ≥ ${psutilGoal}x` : '',
    isGoal ? verdict(share <= floorGoal && times >= psutilGoal) : '',
  ]);
  await measureDelays(reader, size);
  sleepers.kill('SIGKILL');
  await waitForEnd(sleepers.pid ?? 0);
}

/** Readers of their own: the first reading of each is the one that takes longest. Whatever else runs here only adds to it. */
async function measureDelays(reader: string[], size: number): Promise<void> {
  const measured: { quiet: number; first: number; later: number; turn: number }[] = [];
  for (let run = 0; run < 5; run += 1) {
    const subject = startSubject([...reader, ...(isRoot ? [nobody] : [])]);
    const first = await subject.measure('delay');
    const later: Record<string, number>[] = [];
    for (let round = 0; round < 5; round += 1) later.push(await subject.measure('delay'));
    subject.end();
    measured.push({
      quiet: first.quiet ?? 0,
      first: first.delay ?? 0,
      later: Math.max(...later.map(({ delay = 0 }) => delay)),
      turn: Math.max(...[first, ...later].map(({ turn = 0 }) => turn)),
    });
  }
  const kinds = ['quiet', 'first', 'later', 'turn'] as const;
  const columns = kinds.map((kind) => measured.map((each) => each[kind]));
  const worst = Math.max(...measured.map(({ turn }) => turn));
  delays.push([
    `about ${size}`,
    ...columns.map((values) => spread(values, 1)),
    `≤ ${delayGoalMs}`,
    verdict(worst <= delayGoalMs),
  ]);
}

/** The numbers of those that ended are given back one by one. */
async function waitForEnd(pid: number): Promise<void> {
  const isMember = (name: string) => {
    try {
      return fs.readFileSync(`/proc/${name}/comm`, 'utf8') === 'herd\n';
    } catch {
      return false;
    }
  };
  while (fs.readdirSync('/proc').some((name) => /^\d+$/.test(name) && Number(name) > pid && isMember(name)))
    await pause(200);
}

/** A PID namespace, so that the number of processes and their load are the same each time. */
function repeatInOwnNamespace(): never {
  // The first process there has to be one that takes care of those whose parents ended.
  const shell = ['sh', '-c', '"$@"; exit $?', 'sh', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', ['--pid', '--fork', '--kill-child', '--mount-proc', ...shell], {
    stdio: 'inherit',
    env: { ...process.env, OWN_NAMESPACE: 'yes' },
  });
  process.exit(status ?? 1);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
