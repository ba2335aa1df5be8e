/** CPU time of reading many running containers every 2 s, that of the engine included, compared with Docker's own statistics. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { liveIntervals } from '@hostler/client/events.ts';
import { createEngineClient } from '../src/features/containers/engine-client.ts';
import { createClock } from '../src/host/clock.ts';
import { connectVerified } from '../src/host/linux/verified-local.ts';
import { hasEngines, startDocker } from '../test/real/harness/engines.ts';
import { findProgram } from '../test/real/harness/parts.ts';
import { median, printTable, ratio, spread, verdict } from './harness/figures.ts';
import { note, pause, startHostler, temporaryDirectory } from './harness/harness.ts';
import { cpuMs } from './harness/process.ts';

const count = Number(process.argv[2] ?? 100);
const seconds = Number(process.argv[3] ?? 20);
const rounds = Number(process.argv[4] ?? 3);
const everyMs = 2000;
/** The goal: a quarter of the cheaper of the other ways. */
const goal = 0.25;

if (!hasEngines()) process.exit(1);
await using docker = await startDocker();
if (docker === null) process.exit(1);

note(`starting ${count} containers …`);
const names = Array.from({ length: count }, (_, at) => `c${at}`);
for (const name of names)
  docker.cli('run', '-d', '--name', name, '--network', 'none', 'bb:1', '/bin/sh', '-c', 'while sleep 1; do :; done');

/** dockerd and the containerd it started; the shims of the containers are not counted. */
const daemon = docker.pid() ?? 0;
const children = fs
  .readdirSync(`/proc/${daemon}/task`)
  .flatMap((task) => fs.readFileSync(`/proc/${daemon}/task/${task}/children`, 'utf8').trim().split(' '))
  .filter((pid) => pid !== '' && fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'containerd')
  .map(Number);
const engineMs = () => [daemon, ...children].reduce((sum, pid) => sum + cpuMs(pid), 0);

const directory = temporaryDirectory();
fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
fs.writeFileSync(
  path.join(directory, 'config', 'settings.json'),
  JSON.stringify({
    containers: { sockets: [docker.socket] },
    modules: { containers: { interval: everyMs } },
    history: { enabled: false },
  }),
);
const hostler = await startHostler('source', { directory });

interface Cost {
  own: number;
  engine: number;
}

/** What both used in the time, ms a second. */
async function costOf(ownMs: () => number, work: () => Promise<unknown>): Promise<Cost> {
  const before = { own: ownMs(), engine: engineMs() };
  const from = performance.now();
  await work();
  const passed = (performance.now() - from) / 1000;
  return { own: (ownMs() - before.own) / passed, engine: (engineMs() - before.engine) / passed };
}

async function byHostler(): Promise<Cost> {
  const socket = new WebSocket(`ws://127.0.0.1:${hostler.port}/api/websocket`);
  let updates = 0;
  let fewest = Number.POSITIVE_INFINITY;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.module !== 'containers') return;
    updates += 1;
    const seen = message.data.containers.filter((each: { cpu_seconds: unknown }) => each.cpu_seconds !== null);
    fewest = Math.min(fewest, seen.length);
  };
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const token = hostler.token;
  socket.send(
    JSON.stringify({
      id: '1',
      event: 'REGISTER_DATA_LISTENER',
      token,
      data: { modules: ['containers'], interval: liveIntervals },
    }),
  );
  await pause(6000);
  updates = 0;
  const cost = await costOf(
    () => cpuMs(hostler.pid),
    () => pause(seconds * 1000),
  );
  socket.close();
  if (updates < seconds / 4 || fewest < count) throw new Error(`only ${updates} updates, ${fewest} containers`);
  return cost;
}

/** `docker stats`, which has one stream open for each container; Docker fills each every second. */
async function byStream(): Promise<Cost> {
  const client = spawn(findProgram('docker') ?? '', ['-H', `unix://${docker?.socket}`, 'stats'], { stdio: 'ignore' });
  try {
    await pause(6000);
    return await costOf(
      () => cpuMs(client.pid ?? 0),
      () => pause(seconds * 1000),
    );
  } finally {
    client.kill('SIGKILL');
  }
}

/** One request for each container in every round. Docker delays each answer, so that a round takes longer than 2 s; its cost is counted as if it did not. */
async function byPolling(): Promise<Cost> {
  const client = createEngineClient({ connectLocal: connectVerified, clock: createClock() }, docker?.socket ?? '');
  const ask = (name: string) => client.get(`/containers/${name}/stats?stream=false&one-shot=true`);
  const looks = 3;
  const before = engineMs();
  for (let look = 0; look < looks; look += 1)
    for (let next = 0; next < names.length; next += 8) await Promise.all(names.slice(next, next + 8).map(ask));
  return { own: 0, engine: (engineMs() - before) / looks / (everyMs / 1000) };
}

const ways: [string, () => Promise<Cost>, Cost[]][] = [
  ['hostler, a listener, 2 s', byHostler, []],
  ['docker stats, a stream each (1 s)', byStream, []],
  ['one-shot statistics, as if every 2 s, the asker not counted', byPolling, []],
];
try {
  for (let round = 0; round < rounds; round += 1)
    for (const [name, measure, costs] of ways) {
      const cost = await measure();
      costs.push(cost);
      note(`${round + 1}/${rounds}: ${name}: ${cost.own.toFixed(1)} and ${cost.engine.toFixed(1)} ms a second`);
    }
} finally {
  await hostler.stop();
}

const totalsOf = (costs: readonly Cost[]) => costs.map(({ own, engine }) => own + engine);
const others = ways.slice(1).map(([, , costs]) => totalsOf(costs));
const [cheapest = []] = others.toSorted((a, b) => median(a) - median(b));
printTable(
  `${count} running containers, ${seconds} s, ${rounds} rounds: CPU ms a second`,
  ['way', 'asker', 'dockerd and containerd', 'both', 'of the cheapest other', 'goal', 'reached'],
  ways.map(([name, , costs], at) => {
    const times = ratio(totalsOf(costs), cheapest);
    return [
      name,
      spread(
        costs.map(({ own }) => own),
        1,
      ),
      spread(
        costs.map(({ engine }) => engine),
        1,
      ),
      spread(totalsOf(costs), 1),
      times.toFixed(2),
      at === 0 ? String(goal) : '',
      at === 0 ? verdict(times <= goal) : '',
    ];
  }),
);
