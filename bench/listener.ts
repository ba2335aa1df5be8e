/**
 * What one WebSocket client costs that listens as Home Assistant does, with either integration, or as the dashboard, above the service without one.
 * The floor is a bare server, with and without a client that gets as many bytes as often. All in the same minutes, long after the start:
 * before, code is compiled, sources are searched and the heap grows. As root in namespaces of its own: processes, mounts and links of others are not counted.
 */
import { liveIntervals } from '@hostler/client/events.ts';
import { runtimeOptions } from '../src/app/runtime-options.ts';
import { connectSocket, type SocketClient } from '../test/real/harness/socket-client.ts';
import { printTable, verdict } from './harness/figures.ts';
import {
  availableForms,
  pause,
  type Running,
  type RunningHostler,
  startBare,
  startHostler,
} from './harness/harness.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { cpuMs, resident, switchesBetween, voluntarySwitches } from './harness/process.ts';

await enterNamespaces();
const seconds = Number(process.argv[2] ?? 300);
const settleSeconds = Number(process.argv[3] ?? 600);
const modules = ['battery', 'cpu', 'disks', 'displays', 'gpus', 'media', 'memory', 'processes', 'system'];
const form = availableForms().at(-1) ?? 'source';
/** As our integration for Home Assistant does, which counts from the last message. */
const pingEveryMs = 10_000;
/** Of one update of the entities; as often. */
const published = { bytes: 2400, everyMs: 30_000 };

interface Subject {
  what: string;
  server: Running;
  client: SocketClient | null;
  /** Above the subject without a client: CPU ms a minute, MiB. */
  goals?: { cpu: number; mebibytes: number };
}

const listeners = {
  'system_bridge of Home Assistant': { listening: { modules }, goals: { cpu: 30, mebibytes: 30 } },
  'our integration for Home Assistant': { listening: { modules: ['entities'] }, goals: { cpu: 15, mebibytes: 2 } },
  'the dashboard': { listening: { modules, interval: liveIntervals } },
};
const subjects: Subject[] = [{ what: 'no client', server: await startHostler(form), client: null }];
for (const [what, { listening, ...rest }] of Object.entries(listeners)) {
  const server = await startHostler(form);
  if (listening.modules.includes('entities')) await describe(server);
  subjects.push({ what, server, client: await listen(server, listening), ...rest });
}
const bare = { publish: published, env: runtimeOptions };
subjects.push({ what: 'bare server, no client', server: await startBare(form, bare), client: null });
const serving = await startBare(form, bare);
subjects.push({ what: 'bare server, one client', server: serving, client: await listen(serving, null) });

await pause(settleSeconds * 1000);
const before = subjects.map(({ server: { pid }, client }) => ({
  cpu: cpuMs(pid),
  switches: voluntarySwitches(pid),
  messages: client?.messages.length ?? 0,
}));
await pause(seconds * 1000);
const perMinute = (count: number) => (count * 60) / seconds;
const measured = subjects.map(({ server: { pid }, client }, index) => {
  const { cpu = 0, switches = new Map(), messages = 0 } = before[index] ?? {};
  return {
    cpu: perMinute(cpuMs(pid) - cpu),
    switches: perMinute(switchesBetween(switches, voluntarySwitches(pid))),
    updates: perMinute((client?.messages.length ?? 0) - messages),
    resident: resident(pid),
  };
});
let without = measured[0];
const rows = subjects.map(({ what, client, goals }, index) => {
  const { cpu = 0, switches = 0, updates = 0, resident: { total, own } = { total: 0, own: 0 } } = measured[index] ?? {};
  if (client === null) without = measured[index];
  const more = { cpu: cpu - (without?.cpu ?? 0), mebibytes: total - (without?.resident.total ?? 0) };
  return [
    what,
    cpu.toFixed(1),
    client === null ? '' : more.cpu.toFixed(1),
    switches.toFixed(0),
    updates.toFixed(1),
    `${total.toFixed(1)} (${own.toFixed(1)})`,
    client === null ? '' : `${more.mebibytes.toFixed(1)} (${(own - (without?.resident.own ?? 0)).toFixed(1)})`,
    goals === undefined
      ? ''
      : `${goals.cpu} ms: ${verdict(more.cpu <= goals.cpu)}, ${goals.mebibytes} MiB: ${verdict(more.mebibytes <= goals.mebibytes)}`,
  ];
});
printTable(
  `One listener, hostler ${form}, a minute, after ${settleSeconds} s; measured for ${seconds} s`,
  ['', 'CPU ms', 'more', 'voluntary context switches', 'messages', 'resident (own), MiB', 'more', 'at most'],
  rows,
);
for (const { server, client } of subjects) {
  client?.end();
  await server.stop();
}
process.exit(0);

/** What our integration requests before it listens. */
async function describe({ port, token }: RunningHostler): Promise<void> {
  for (const path of ['/api/entities', '/api/actions', '/api/data/entities'])
    await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${token}` } })).text();
}

async function listen(server: Running & { token?: string }, listening: object | null): Promise<SocketClient> {
  const { port, token = '' } = server;
  const client = await connectSocket({ port, token }, { headers: { Authorization: `Bearer ${token}` } });
  if (listening !== null) await client.ask('REGISTER_DATA_LISTENER', listening);
  setInterval(() => client.frame(9, ''), pingEveryMs);
  return client;
}
