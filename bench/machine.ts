/** The whole machine once a second: `machine.ts [seconds] [rounds before] [NAME=value …]`, the variables for two more of our service. Every module listened to over one WebSocket, and asked over HTTP, beside node_exporter and glances, all in the same seconds, at about 200 processes. */
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { liveIntervals } from '@hostler/client/events.ts';
import { runtimeOptions } from '../src/app/runtime-options.ts';
import { modules as allModules } from '../src/features/index.ts';
import { createPool, getRequest } from './harness/client.ts';
import { printTable, verdict } from './harness/figures.ts';
import {
  availableForms,
  pause,
  type Running,
  type RunningHostler,
  startBare,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { cpuMs, resident } from './harness/process.ts';
import { countProcesses, fillWithProcesses } from './harness/subject.ts';
import { type Peer, startExporter, startGlances } from './machine/peers.ts';

const seconds = Number(process.argv[2] ?? 60);
/** Files are opened, and the runtime compiles what is used often: only after some 1,000 rounds is it done with that. */
const warmRounds = Number(process.argv[3] ?? 200);
const variables = process.argv.slice(4);
const warmEveryMs = 300;
const everyMs = 1000;
const processes = 200;
const sockets = 80;
const goalSeconds = 0.25;

interface Watched extends Peer {
  /** Instead of `ask` until it is measured. */
  warm?: () => Promise<void>;
  /** CPU milliseconds of its readings so far, by module. */
  costs?: () => Promise<Map<string, number>>;
  /** Bytes that its client got so far. */
  received?: () => number;
}

await enterNamespaces();
// As many sockets as a desktop has at rest.
await holdSockets(sockets);
await fillWithProcesses(processes);

const form = availableForms().at(-1) ?? 'source';
const watched: Watched[] = [await startListened(), await startPolled()];
if (variables.length > 0) {
  const env = Object.fromEntries(variables.map((variable) => variable.split('=')));
  watched.push(await startListened(env), await startPolled(env));
}
watched.push(await startBareListened(), await startBarePolled());
for (const start of [startExporter, startGlances]) {
  const peer = await start();
  if (peer !== null) watched.push(peer);
}

await inTurns(warmRounds, warmEveryMs, ({ warm, ask }) => warm?.() ?? ask?.());
const before = await Promise.all(watched.map(look));
await inTurns(seconds, everyMs, ({ ask }) => ask?.());
const after = await Promise.all(watched.map(look));

const spent = watched.map((subject, index) => {
  const [from, to] = [before[index], after[index]];
  if (from === undefined || to === undefined) throw new Error('it was not sampled');
  const readings = [...to.costs].map(([name, ms]) => ({ name, ms: ms - (from.costs.get(name) ?? 0) }));
  return { ...subject, cpuMs: to.cpuMs - from.cpuMs, readings, bytes: to.received - from.received };
});
printTable(
  `All modules once a second for ${seconds} s after ${warmRounds} rounds, about ${countProcesses()} processes and ${sockets} sockets`,
  ['', 'CPU s', 'resident, MiB', 'goal for 60 s', 'reached'],
  spent.map(({ name, pid, cpuMs: ms }) => {
    const reached = verdict(((ms / 1000) * 60) / seconds <= goalSeconds);
    const goal = name.startsWith('hostler') ? [`≤ ${goalSeconds} s`, reached] : ['', ''];
    return [name, (ms / 1000).toFixed(3), resident(pid).total.toFixed(1), ...goal];
  }),
);
for (const { name, readings, bytes, cpuMs: all } of spent) {
  if (readings.length === 0) continue;
  const rest = all - readings.reduce((sum, { ms }) => sum + ms, 0);
  const line = (what: string, ms: number) => [what, ms.toFixed(1), ((ms * 1000) / seconds).toFixed(0), share(ms / all)];
  printTable(
    `Where it goes: ${name}, CPU ms in ${seconds} s`,
    ['', 'CPU ms', 'µs a second', 'share'],
    [
      ...readings.toSorted((a, b) => b.ms - a.ms).map(({ name: module, ms }) => line(module, ms)),
      line(`transport, JSON, the rest (${(bytes / 1024 / seconds).toFixed(0)} KiB a second)`, rest),
    ],
  );
}
for (const subject of watched) await subject.stop();
process.exit(0);

function share(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}

async function inTurns(
  turns: number,
  turnMs: number,
  ask: (subject: Watched) => Promise<void> | undefined,
): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const begun = performance.now();
    for (const subject of watched) await ask(subject);
    await pause(Math.max(0, turnMs - (performance.now() - begun)));
  }
}

async function look({ pid, costs, received }: Watched) {
  const known = (await costs?.()) ?? new Map<string, number>();
  return { cpuMs: cpuMs(pid), costs: known, received: received?.() ?? 0 };
}

/** One client that requests each module over a persistent connection. */
async function startPolled(env: Record<string, string> = {}): Promise<Watched> {
  const hostler = await startHostler(form, { env });
  const { ask, received } = await createAsk(hostler);
  return {
    ...hostler,
    name: nameOf(hostler, 'each module asked over HTTP', env),
    ask,
    received,
    costs: costsOf(hostler),
  };
}

/** One client that listens to everything, as the dashboard does. */
async function startListened(env: Record<string, string> = {}): Promise<Watched> {
  const directory = temporaryDirectory();
  fs.mkdirSync(path.join(directory, 'config'));
  const modules = Object.fromEntries(allModules.map(({ name }) => [name, { interval: everyMs }]));
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ modules }));
  const hostler = await startHostler(form, { directory, env });
  const { ask, names } = await createAsk(hostler);
  let received = 0;
  const socket = new WebSocket(`ws://127.0.0.1:${hostler.port}/api/websocket`);
  socket.onmessage = ({ data }) => {
    received += String(data).length;
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('there is no WebSocket'));
  });
  const { token } = hostler;
  socket.send(
    JSON.stringify({
      token,
      id: 'all',
      event: 'REGISTER_DATA_LISTENER',
      data: { modules: names, interval: liveIntervals },
    }),
  );
  const name = nameOf(hostler, 'all listened to over one WebSocket', env);
  return { ...hostler, name, ask: null, warm: ask, received: () => received, costs: costsOf(hostler) };
}

/** The floor: as many bytes as often, without a reading. */
async function startBareListened(): Promise<Watched> {
  const bare = await startBare(form, { publish: { bytes: 32 * 1024, everyMs }, env: runtimeOptions });
  const socket = new WebSocket(`ws://127.0.0.1:${bare.port}/`);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  return { ...bare, name: `${bare.name}, 32 KiB a second over one WebSocket`, ask: null };
}

async function startBarePolled(): Promise<Watched> {
  const file = path.join(temporaryDirectory(), 'answer.json');
  fs.writeFileSync(file, JSON.stringify({ status: 200, headers: {}, body: 'x'.repeat(4400) }));
  const bare = await startBare(form, { answer: file, env: runtimeOptions });
  const pool = createPool(bare.port);
  const ask = async () => {
    for (let count = 0; count < allModules.length; count += 1) await pool.ask(getRequest('/'));
  };
  return { ...bare, name: `${bare.name}, ${allModules.length} requests a second of 4.4 kB`, ask };
}

function nameOf({ name }: Running, how: string, env: Record<string, string>): string {
  return [name, how, ...Object.entries(env).map(([variable, value]) => `${variable}=${value}`)].join(', ');
}

async function createAsk({ port, token }: RunningHostler) {
  const names = await readableModules(port, token);
  const pool = createPool(port);
  let received = 0;
  const ask = async () => {
    for (const name of names) {
      const answer = await pool.ask(getRequest(`/api/data/${name}`, { 'X-API-Token': token }));
      if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`);
      received += answer.body;
    }
  };
  return { names, ask, received: () => received };
}

function costsOf({ port, token }: RunningHostler) {
  return async (): Promise<Map<string, number>> => {
    const headers = { 'X-API-Token': token };
    const response = await fetch(`http://127.0.0.1:${port}/api/modules`, { headers });
    const states: unknown = await response.json();
    if (!Array.isArray(states)) throw new Error(`/api/modules answered ${response.status}`);
    return new Map(states.map(({ name, cost }) => [String(name), Number(cost.total_cpu_ms)]));
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
