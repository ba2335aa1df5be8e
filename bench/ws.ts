/** The WebSocket API: round trips, what a delivered update costs, what a connection holds, and what a client that stops does to others. */
import fs from 'node:fs';
import path from 'node:path';
import { liveIntervals } from '@hostler/client/events.ts';
import { createPrivateNetwork, hasNetworks } from '../test/real/harness/network.ts';
import { median, printTable, verdict } from './harness/figures.ts';
import {
  freePort,
  note,
  pause,
  type RunningHostler,
  startHostler,
  startProgram,
  temporaryDirectory,
} from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { cpuMs, resident } from './harness/process.ts';
import { beside, countProcesses, fillWithProcesses, type Subject, startSubject } from './harness/subject.ts';

const seconds = Number(process.argv[2] ?? 15);
const bun = [process.execPath, '--no-env-file', '--config=/dev/null'];
const form = fs.existsSync(path.join(import.meta.dirname, '..', 'dist', 'hostler')) ? 'compiled' : 'source';

const parts = { roundTrips, fanOut, connections, stopped, events };
const wanted = process.argv.slice(3);
await fillWithProcesses(200);
for (const [name, measure] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await measure();
process.exit(0);

function listeners(port: number, token: string, within: readonly string[] = []): Subject {
  return startSubject([...within, ...bun, beside('ws/listeners.ts'), `ws://127.0.0.1:${port}/api/websocket`, token]);
}

async function roundTrips(): Promise<void> {
  const hostler = await startHostler(form);
  const client = listeners(hostler.port, hostler.token);
  await client.measure('open 1');
  const first = await client.measure('ask battery,cpu,disks,displays,gpus,media,memory,processes,system 1');
  const rows = [];
  for (const [what, order] of [
    ['memory, from memory', 'ask memory 2000 0'],
    ['memory, read each time', 'ask memory 40 260'],
    ['processes, from memory', 'ask processes 1000 0'],
    ['all, read each time', 'ask cpu,disks,gpus,memory,networks,processes,sensors,system 40 260'],
  ] as const) {
    const { p50 = 0, p99 = 0 } = await client.measure(order);
    rows.push([what, p50.toFixed(2), p99.toFixed(2)]);
  }
  client.end();
  await hostler.stop();
  printTable(`GET_DATA to its answer, ms (${form})`, ['what', 'p50', 'p99'], rows);
  note(`nine modules right after the start: ${first.max?.toFixed(0)} ms`);
}

interface Cost {
  updates: number;
  characters: number;
  cpu: number;
}

/** What is sent to this many clients in some seconds, and the CPU it takes. */
async function cost(pid: number, client: Subject, count: number, modules: string): Promise<Cost> {
  await client.measure(`open ${count}`);
  await client.measure(`listen ${modules}`);
  await pause(3000);
  await client.measure('count');
  const before = cpuMs(pid);
  await pause(seconds * 1000);
  const cpu = cpuMs(pid) - before;
  const { updates = 0, characters = 0 } = await client.measure('count');
  await client.measure('close');
  await pause(500);
  return { updates, characters, cpu };
}

async function fanOut(): Promise<void> {
  const hostler = await startHostler(form);
  const all = await readableModules(hostler.port, hostler.token);
  // The connections of the listeners are in it: with a thousand of them the payload is another one.
  const modules = all.filter((name) => name !== 'networks');
  const recorded = await record(hostler, modules);
  const subjects = [
    { name: 'hostler', running: hostler, token: hostler.token },
    { name: 'publish', running: await startPeer('publish', recorded), token: '' },
    { name: 'naive', running: await startPeer('naive', recorded), token: '' },
  ];
  const counts = [1, 100, 1000];
  const costs = new Map<string, Cost[]>();
  for (const count of counts) {
    for (const { name, running, token } of subjects) {
      const client = listeners(running.port, token);
      costs.set(name, [...(costs.get(name) ?? []), await cost(running.pid, client, count, modules.join(','))]);
      client.end();
    }
  }
  const rows = subjects.flatMap(({ name }) =>
    counts.map((count, index) => {
      const one = costs.get(name)?.[0];
      const here = costs.get(name)?.[index];
      if (one === undefined || here === undefined) throw new Error('not measured');
      const perUpdate = count === 1 ? here.cpu / here.updates : (here.cpu - one.cpu) / (here.updates - one.updates);
      return [
        name,
        String(count),
        String(Math.round(here.updates / seconds)),
        (here.characters / here.updates / 1000).toFixed(1),
        ((here.cpu / seconds / 1000) * 100).toFixed(1),
        (perUpdate * 1000).toFixed(1),
      ];
    }),
  );
  const columns = ['', 'listeners', 'updates/s', 'kB each', '% of a core', 'µs an update'];
  printTable(`All modules to many listeners, ${seconds} s, ${countProcesses()} processes (${form})`, columns, rows);
  note('µs an update: for one listener everything, reading included; for more, what each further delivery adds');
  const client = listeners(hostler.port, hostler.token);
  const busiest = await cost(hostler.pid, client, 1000, all.join(','));
  client.end();
  const core = busiest.cpu / seconds / 1000;
  const size = (busiest.characters / busiest.updates / 1000).toFixed(0);
  note(
    `1,000 listeners of all modules, ${size} kB each: ${(core * 100).toFixed(0)} % of a core; below half: ${verdict(core < 0.5)}`,
  );
  for (const { running } of subjects) await running.stop();
}

async function record({ port, token }: RunningHostler, modules: string[]): Promise<string> {
  const ask = async (route: string) =>
    (await fetch(`http://127.0.0.1:${port}/api/${route}`, { headers: { 'X-API-Token': token } })).json();
  const states = (await ask('modules')) as { name: string; interval_ms: number }[];
  const recorded = await Promise.all(
    modules.map(async (name) => ({
      name,
      everyMs: liveIntervals[name] ?? states.find((state) => state.name === name)?.interval_ms ?? 1000,
      payload: await ask(`data/${name}`),
    })),
  );
  const file = path.join(temporaryDirectory(), 'recorded.json');
  fs.writeFileSync(file, JSON.stringify(recorded));
  return file;
}

async function startPeer(way: string, recorded: string) {
  const port = await freePort();
  const [program = '', ...flags] = bun;
  return startProgram(way, [program, ...flags, beside('ws/peer.ts'), way, String(port), recorded], {
    port,
    env: { PATH: process.env.PATH ?? '' },
    says: 'serving',
  });
}

async function connections(): Promise<void> {
  const hostler = await startHostler(form);
  const client = listeners(hostler.port, hostler.token);
  // One token may have 1,024 connections.
  await client.measure('open 100');
  await pause(2000);
  const before = resident(hostler.pid).total;
  const { open = 0 } = await client.measure('open 900');
  await pause(5000);
  const each = ((resident(hostler.pid).total - before) * 1024) / (open - 100);
  printTable(
    `Memory of an idle connection (${form})`,
    ['connections', 'KiB each', 'goal 5 KiB'],
    [[String(open), each.toFixed(2), verdict(each <= 5)]],
  );
  client.end();
  await hostler.stop();
}

async function stopped(): Promise<void> {
  const hostler = await startHostler(form);
  const quick = listeners(hostler.port, hostler.token);
  const slow = listeners(hostler.port, hostler.token);
  for (const client of [quick, slow]) {
    await client.measure('open 1');
    await client.measure('listen cpu,memory,processes,networks');
  }
  const stoppedMs = 40_000;
  const spell = async () => {
    const before = resident(hostler.pid).total;
    await quick.measure('count');
    // A client that answered no ping for 75 s is let go, and its last answer may be half a minute old already.
    await pause(stoppedMs);
    const { longestGapMs = 0 } = await quick.measure('count');
    return { gap: longestGapMs, grown: resident(hostler.pid).total - before };
  };
  await pause(20_000);
  const usual = await spell();
  process.kill(slow.pid, 'SIGSTOP');
  const meanwhile = await spell();
  const resumedAt = performance.now();
  process.kill(slow.pid, 'SIGCONT');
  await slow.measure('count');
  await slow.measure('next');
  const recovery = performance.now() - resumedAt;
  printTable(
    `A client that is stopped for 40 s (${form})`,
    ['', 'ms or MiB'],
    [
      ['longest gap between updates of the other, as long before', usual.gap.toFixed(0)],
      ['longest gap between updates of the other, meanwhile', meanwhile.gap.toFixed(0)],
      ['memory of the service grew in as long before (MiB)', usual.grown.toFixed(1)],
      ['memory of the service grew meanwhile (MiB)', meanwhile.grown.toFixed(1)],
      ['from SIGCONT to a new update', recovery.toFixed(0)],
    ],
  );
  for (const client of [quick, slow]) client.end();
  await hostler.stop();
}

/** From a cable that is pulled to the update at a client. */
async function events(): Promise<void> {
  if (!hasNetworks()) return note('event to push: left out, it needs root and private networks');
  const network = createPrivateNetwork('wsbench');
  try {
    network.ip('link add v0 type veth peer name v1');
    network.ip('link set v0 up');
    const hostler = await startHostler(form, { through: network.within });
    const client = listeners(hostler.port, hostler.token, network.within);
    await client.measure('open 1');
    await client.measure('listen networks');
    await pause(2000);
    const delays: number[] = [];
    for (let round = 0; round < 40; round++) {
      const next = client.measure('next');
      await pause(20);
      const before = performance.timeOrigin + performance.now();
      network.ip(`link set v1 ${round % 2 === 0 ? 'up' : 'down'}`);
      const { at = 0 } = await next;
      delays.push(at - before);
      await pause(300 + (round % 7) * 50);
    }
    delays.sort((a, b) => a - b);
    const p99 = delays[Math.floor(delays.length * 0.99)] ?? Number.NaN;
    printTable(
      'From a changed link to the update, the command included, ms',
      ['p50', 'p99', 'rounds'],
      [[median(delays).toFixed(1), p99.toFixed(1), String(delays.length)]],
    );
    client.end();
    await hostler.stop();
  } finally {
    network.remove();
  }
}
