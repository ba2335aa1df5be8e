/** Many machines on one mosquitto, each replaying the messages of a real one: the cost for the broker, and how they reconnect after its restart. */
import fs from 'node:fs';
import path from 'node:path';
import { createClock } from '../src/host/clock.ts';
import { openBroker } from '../test/real/harness/broker.ts';
import { until } from '../test/real/harness/service.ts';
import { record } from './fleet/recording.ts';
import { startMachine, type Tally } from './fleet/simulated-machine.ts';
import { printTable } from './harness/figures.ts';
import { availableForms, note, pause, startHostler, temporaryDirectory } from './harness/harness.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { cpuMs, resident } from './harness/process.ts';
import { fillWithProcesses } from './harness/subject.ts';

const count = Number(process.argv[2] ?? 1000);
const seconds = Number(process.argv[3] ?? 60);
const recordSeconds = 60;
const downSeconds = 5;
/** Longer than the longest pause before an attempt. */
const backWithinMs = 300_000;

await enterNamespaces();
// As many as an ordinary desktop has.
await fillWithProcesses(200);
await using broker = await openBroker('log_type none', 'max_connections -1');
const [form = 'source'] = availableForms().toReversed();

note(`Recording what one machine says, ${recordSeconds} s`);
const directory = temporaryDirectory();
fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
const settings = { mqtt: { url: `mqtt://127.0.0.1:${broker.port}` } };
fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
let stopReal = async () => {};
const recording = await record(broker.port, recordSeconds * 1000, async () => {
  const real = await startHostler(form, { directory });
  stopReal = real.stop;
  return await until(async () => {
    const headers = { 'X-API-Token': real.token };
    const status = await (await fetch(`http://127.0.0.1:${real.port}/api/mqtt`, { headers })).json();
    return status.connected ? String(status.id) : null;
  });
});
await stopReal();

const tally: Tally = { messages: 0, bytes: 0, connected: 0, connectedAt: [] };
const clock = createClock();
const stops = Array.from({ length: count }, () =>
  startMachine(broker.port, crypto.randomUUID(), recording, clock, tally),
);
await until(() => tally.connected === count || null, backWithinMs);
note(`${count} machines are connected`);
await pause(recording.periodMs);

const before = { cpu: cpuMs(broker.pid()), own: process.cpuUsage(), messages: tally.messages, bytes: tally.bytes };
await pause(seconds * 1000);
const cpu = (cpuMs(broker.pid()) - before.cpu) / seconds;
const own = process.cpuUsage(before.own);
const measured = { messages: tally.messages - before.messages, bytes: tally.bytes - before.bytes };
const memory = resident(broker.pid());
const size = (messages: { payload: string }[]) => messages.reduce((sum, { payload }) => sum + payload.length, 0) / 1024;

await broker.stop('SIGKILL');
await until(() => tally.connected === 0 || null, backWithinMs);
await pause(downSeconds * 1000);
tally.connectedAt = [];
const restartedAt = performance.now();
await broker.start();
await until(() => tally.connected === count || null, backWithinMs);
const back = tally.connectedAt.map((at) => (at - restartedAt) / 1000).toSorted((a, b) => a - b);
const share = (part: number) => `${back[Math.ceil(back.length * part) - 1]?.toFixed(1)} s`;
const perSecond = Object.values(Object.groupBy(back, (at) => String(Math.floor(at)))).map(
  (group) => group?.length ?? 0,
);
await pause(5000);
const returnCpu = cpuMs(broker.pid());

printTable(
  `${count} machines on one mosquitto, over ${seconds} s`,
  ['', ''],
  [
    ['one machine: messages a minute', String((recording.steady.length * 60_000) / recording.periodMs)],
    ['one machine: KiB at each connect', size(recording.greeting).toFixed(1)],
    ['messages a second, all', (measured.messages / seconds).toFixed(0)],
    ['KiB a second, all', (measured.bytes / 1024 / seconds).toFixed(0)],
    ['broker: CPU ms a second', cpu.toFixed(1)],
    ['broker: resident MiB', memory.total.toFixed(1)],
    ['this script: CPU ms a second', ((own.user + own.system) / 1000 / seconds).toFixed(0)],
    [`back after a restart (down ${downSeconds} s): half`, share(0.5)],
    ['back: 99 %', share(0.99)],
    ['back: all', share(1)],
    ['most connections in one second', String(Math.max(...perSecond))],
    ['broker: CPU ms until all were back', returnCpu.toFixed(0)],
  ],
);
for (const stop of stops) stop();
// The sleeping processes would keep this one alive.
await broker[Symbol.asyncDispose]();
process.exit();
