/** The whole machine once a second: `machine.ts [seconds] [NAME=value …]`, the variables for one more of our service. Every module asked over HTTP, beside node_exporter and glances, all in the same seconds, at about 200 processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { findProgram } from '../test/real/parts.ts';
import { until } from '../test/real/service.ts';
import { createPool, getRequest } from './client.ts';
import { printTable, verdict } from './figures.ts';
import {
  availableForms,
  freePort,
  note,
  pause,
  type Running,
  type RunningHostler,
  startHostler,
  startProgram,
  temporaryDirectory,
} from './harness.ts';
import { readableModules } from './names.ts';
import { enterNamespaces } from './namespaces.ts';
import { cpuMs, resident } from './process.ts';
import { countProcesses, fillWithProcesses } from './subject.ts';

const seconds = Number(process.argv[2] ?? 60);
const variables = process.argv.slice(3);
/** Bytes of the last round, by port. */
const answered = new Map<number, number>();
/** Files are opened, and the runtime compiles what is used often: a service that has run for some minutes is measured. */
const warmRounds = 200;
const warmEveryMs = 300;
const everyMs = 1000;
const processes = 200;
const sockets = 80;
const goalSeconds = 0.25;

/** `ask` once a second; null: it does so by itself. */
interface Watched extends Pick<Running, 'name' | 'pid' | 'stop'> {
  ask: (() => Promise<void>) | null;
}

await enterNamespaces({ required: false });
// As many sockets as a desktop has at rest.
await holdSockets(sockets);
await fillWithProcesses(processes);

const form = availableForms().at(-1) ?? 'source';
const hostler = await startHostler(form);
const modules = await readableModules(hostler.port, hostler.token);
const watched: Watched[] = [{ ...hostler, ask: createAsk(hostler) }];
if (variables.length > 0) {
  const env = Object.fromEntries(variables.map((variable) => variable.split('=')));
  const other = await startHostler(form, { env });
  watched.push({ ...other, name: `${other.name}, ${variables.join(' ')}`, ask: createAsk(other) });
}
for (const start of [startExporter, startGlances]) {
  const peer = await start();
  if (peer !== null) watched.push(peer);
}

await askFor(warmRounds, warmEveryMs);
const costBefore = await costs();
const cpuBefore = watched.map(({ pid }) => cpuMs(pid));
await askFor(seconds, everyMs);
const cpuAfter = watched.map(({ pid }) => cpuMs(pid));
const costAfter = await costs();

const allCpu = ((cpuAfter[0] ?? 0) - (cpuBefore[0] ?? 0)) / 1000;
printTable(
  `All modules once a second for ${seconds} s, about ${countProcesses()} processes and ${sockets} sockets`,
  ['', 'CPU s', 'resident, MiB', 'goal for 60 s', 'reached'],
  watched.map(({ name, pid }, index) => {
    const cpu = ((cpuAfter[index] ?? 0) - (cpuBefore[index] ?? 0)) / 1000;
    const goal = name.startsWith('hostler')
      ? [`≤ ${goalSeconds} s`, verdict((cpu * 60) / seconds <= goalSeconds)]
      : ['', ''];
    return [name, cpu.toFixed(3), resident(pid).total.toFixed(1), ...goal];
  }),
);
const readings = modules.map((name) => ({ name, ms: (costAfter.get(name) ?? 0) - (costBefore.get(name) ?? 0) }));
const inReadings = readings.reduce((sum, { ms }) => sum + ms, 0) / 1000;
printTable(
  `Where it goes, ${form}, CPU ms in ${seconds} s`,
  ['', 'CPU ms', 'µs a reading', 'share'],
  [
    ...readings
      .toSorted((a, b) => b.ms - a.ms)
      .map(({ name, ms }) => [name, ms.toFixed(1), ((ms * 1000) / seconds).toFixed(0), share(ms / 1000)]),
    [
      `requests, JSON, the rest (${((answered.get(hostler.port) ?? 0) / 1024).toFixed(0)} KiB a second)`,
      ((allCpu - inReadings) * 1000).toFixed(1),
      '',
      share(allCpu - inReadings),
    ],
  ],
);
for (const subject of watched) await subject.stop();
process.exit(0);

function share(part: number): string {
  return `${((part / allCpu) * 100).toFixed(0)} %`;
}

async function askFor(turns: number, turnMs: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const begun = performance.now();
    for (const { ask } of watched) await ask?.();
    await pause(Math.max(0, turnMs - (performance.now() - begun)));
  }
}

function createAsk({ port, token }: RunningHostler): () => Promise<void> {
  const pool = createPool(port);
  return async () => {
    let bytes = 0;
    for (const name of modules) {
      const answer = await pool.ask(getRequest(`/api/data/${name}`, { 'X-API-Token': token }));
      if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`);
      bytes += answer.body;
    }
    answered.set(port, bytes);
  };
}

/** CPU milliseconds of all readings so far, by module. */
async function costs(): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${hostler.port}/api/modules`, {
    headers: { 'X-API-Token': hostler.token },
  });
  const states: unknown = await response.json();
  if (!Array.isArray(states)) throw new Error(`/api/modules answered ${response.status}`);
  return new Map(states.map(({ name, cost }) => [String(name), Number(cost.total_cpu_ms)]));
}

async function startExporter(): Promise<Watched | null> {
  const program = findProgram('prometheus-node-exporter') ?? findProgram('node_exporter');
  if (program === null) return left('node_exporter', 'prometheus-node-exporter is not installed');
  const port = await freePort();
  const running = await startProgram(
    'node_exporter, its default collectors',
    [program, `--web.listen-address=127.0.0.1:${port}`],
    { port, env: { PATH: process.env.PATH ?? '' }, says: null },
  );
  return {
    ...running,
    async ask() {
      await (await fetch(`http://127.0.0.1:${port}/metrics`)).arrayBuffer();
    },
  };
}

/** It reads everything each second by itself, and writes it to a file. */
async function startGlances(): Promise<Watched | null> {
  const program = findProgram('/usr/bin/glances');
  if (program === null) return left('glances', 'it is not installed');
  const directory = temporaryDirectory();
  const file = path.join(directory, 'glances.csv');
  const child = spawn(
    '/usr/bin/python3',
    [program, '--quiet', '--time', '1', '--disable-check-update', '--export', 'csv', '--export-csv-file', file],
    { stdio: 'ignore', env: { PATH: process.env.PATH ?? '', HOME: directory } },
  );
  process.on('exit', () => child.kill('SIGKILL'));
  await until(() => (fs.existsSync(file) ? true : null));
  return {
    name: 'glances -t 1, writing CSV',
    pid: child.pid ?? 0,
    ask: null,
    stop: async () => void child.kill('SIGKILL'),
  };
}

/** Both ends of each connection are ours. */
async function holdSockets(count: number): Promise<void> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no port');
  for (let made = 0; made < count; made += 2) await once(net.connect(bound.port, '127.0.0.1'), 'connect');
}

function left(what: string, why: string): null {
  note(`${what} is left out: ${why}`);
  return null;
}
