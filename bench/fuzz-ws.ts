/** Throws junk at the WebSocket API for some minutes: the service must neither end, nor grow, nor write of anything it did not expect. */
import { randomBytes } from 'node:crypto';
import { connectSocket, type SocketClient } from '../test/real/harness/socket-client.ts';
import { printTable, verdict } from './harness/figures.ts';
import { note, pause, startHostler } from './harness/harness.ts';
import { openDescriptors, resident, threads } from './harness/process.ts';

const minutes = Number(process.argv[2] ?? 10);
const clients = 8;
const hostler = await startHostler('source');
const end = performance.now() + minutes * 60_000;
const events = [
  'GET_DATA',
  'REGISTER_DATA_LISTENER',
  'UNREGISTER_DATA_LISTENER',
  'GET_DIRECTORIES',
  'GET_DIRECTORY',
  'GET_FILES',
  'GET_FILE',
  'VALIDATE_DIRECTORY',
  'GET_DISK_MOUNTS',
  'GET_SETTINGS',
  'COMMAND_EXECUTE',
  'MEDIA_CONTROL',
  'CHAT_CONTROL',
  'POWER_CANCEL',
  '__proto__',
  'constructor',
];
const words = [
  'modules',
  'base',
  'path',
  'commandID',
  'action',
  'value',
  '__proto__',
  'home',
  '../..',
  'cpu',
  'memory',
  '',
];
let sent = 0;
let reconnects = 0;

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
const chance = (part: number) => Math.random() < part;

function value(depth: number): unknown {
  const kinds: (() => unknown)[] = [
    () => null,
    () => Math.random() * 1e9 - 5e8,
    () => chance(0.5),
    () => pick(words),
    () => randomBytes(Math.floor(Math.random() * 40)).toString('latin1'),
    () => 'x'.repeat(Math.floor(Math.random() * 5000)),
    () => '\ud800\u0000\u202e',
  ];
  if (depth > 0) {
    kinds.push(() => Array.from({ length: Math.floor(Math.random() * 5) }, () => value(depth - 1)));
    kinds.push(() => object(depth - 1));
  }
  return pick(kinds)();
}

function object(depth: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: Math.floor(Math.random() * 5) }, () => [pick(words), value(depth)]));
}

function envelope(): string {
  const message: Record<string, unknown> = {
    token: chance(0.8) ? hostler.token : value(1),
    id: chance(0.9) ? 'fuzz' : value(1),
    event: chance(0.95) ? pick(events) : value(1),
    data: chance(0.5)
      ? object(3)
      : chance(0.5)
        ? { modules: chance(0.7) ? ['cpu', 'processes', pick(words)] : value(2) }
        : value(3),
  };
  for (const key of Object.keys(message)) if (chance(0.05)) delete message[key];
  const text = JSON.stringify(message);
  return chance(0.95) ? text : text.slice(0, Math.floor(Math.random() * text.length));
}

const acts: ((client: SocketClient) => unknown)[] = [
  ...Array(12).fill((client: SocketClient) => client.frame(1, envelope())),
  (client) => client.frame(2, randomBytes(100)),
  (client) => client.frame(9, randomBytes(Math.floor(Math.random() * 125))),
  (client) => client.frame(1, '{"id":', { fin: false }),
  (client) => client.frame(0, '"x"}', { fin: chance(0.5) }),
  (client) => chance(0.1) && client.raw(randomBytes(Math.floor(Math.random() * 200))),
  (client) => chance(0.1) && client.frame(Math.floor(Math.random() * 16), randomBytes(10)),
  (client) => chance(0.02) && client.frame(1, 'x'.repeat(1024 * 1024 + 1)),
  (client) => chance(0.05) && client.end(),
  (client) => chance(0.05) && client.pause(),
  (client) => client.resume(),
];

async function life(): Promise<void> {
  while (performance.now() < end) {
    const client = await connectSocket(hostler).catch(() => null);
    reconnects++;
    if (client === null) {
      await pause(20);
      continue;
    }
    while (performance.now() < end && !client.isClosed()) {
      pick(acts)(client);
      sent++;
      client.messages.length = 0;
      if (sent % 16 === 0) await pause(1);
    }
    client.end();
  }
}

const rows: string[][] = [];
const sample = (label: string) => {
  const { total } = resident(hostler.pid);
  rows.push([
    label,
    total.toFixed(1),
    String(openDescriptors(hostler.pid)),
    String(threads(hostler.pid)),
    String(sent),
  ]);
  note(rows.at(-1)?.join('  ') ?? '');
};
const lives = Array.from({ length: clients }, life);
await pause(Math.min(120_000, (minutes * 60_000) / 4));
sample('after a quarter, or two minutes');
const timer = setInterval(() => sample(`${((performance.now() - end) / 60_000 + minutes).toFixed(1)} min`), 60_000);
await Promise.all(lives);
clearInterval(timer);
await pause(5000);
sample('at the end');
const health = await fetch(`http://127.0.0.1:${hostler.port}/api/health`);
const unexpected = hostler
  .output()
  .split('\n')
  .filter((line) => /ERROR|unexpected|unhandled/i.test(line));
printTable(
  `Junk for ${minutes} minutes, ${reconnects} connections`,
  ['', 'MiB', 'descriptors', 'threads', 'frames'],
  rows,
);
note(`alive: ${verdict(health.status === 200)}; unexpected lines in the log: ${unexpected.length}`);
for (const line of unexpected.slice(0, 10)) note(line);
process.exit(unexpected.length === 0 && health.status === 200 ? 0 : 1);
