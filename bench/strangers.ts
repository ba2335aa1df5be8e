/** What strangers can do to the service: attacks without a token that fit into 10 Mbit/s, and how health is answered meanwhile. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { printTable, verdict } from './harness/figures.ts';
import {
  availableForms,
  type Form,
  note,
  pause,
  startBare,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { cpuMs } from './harness/process.ts';
import { watchHealth } from './strangers/health.ts';

const seconds = Number(process.argv[2] ?? 15);
const only = process.argv[3] ?? '';
const bytesPerSecond = 1_250_000;
/** Handshake, acknowledgements and the end of a connection, on the way to the service. */
const connectionBytes = 320;
const goals = { healthMs: 100, residentMiB: 150 };

/** One thing a stranger does again and again: what it sends on a new connection, and whether it stays. */
interface Attack {
  name: string;
  /** Limit of descriptors of the service; the machine's own unless given. */
  descriptors?: number;
  /** Sent at once on each connection. */
  opening(port: number): string | Uint8Array;
  /** Sent on each open connection once a second. */
  trickle?: string;
  /** Sent when the service has agreed to a WebSocket. */
  afterUpgrade?: Uint8Array;
  mostOpen: number;
  /** A one-time code waits to be redeemed. */
  codeWaits?: boolean;
}

const host = (port: number) => `Host: 127.0.0.1:${port}`;
const upgrade = (port: number) =>
  `GET /api/websocket HTTP/1.1\r\n${host(port)}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
const login = (port: number, length: number, body: string) =>
  `POST /api/login HTTP/1.1\r\n${host(port)}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
/** The head of a frame of a mebibyte, and a part of it. */
const beginning = (bytes: number) =>
  Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4]), Buffer.alloc(bytes)]);
const wrongMessage = () => {
  const text = Buffer.from(JSON.stringify({ token: 'wrong', id: '1', event: 'GET_DATA', data: { modules: ['cpu'] } }));
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
};
const wrongCode = '{"code":"wrong-wrong-wrong"}';

const attacks: Attack[] = [
  { name: 'nothing at all', opening: () => '', mostOpen: 0 },
  { name: 'connections that say nothing', opening: () => '', mostOpen: 8000 },
  { name: 'the same, 1,024 descriptors', opening: () => '', mostOpen: 8000, descriptors: 1024 },
  {
    name: 'half a head, 1,024 descriptors',
    opening: (port) => `GET / HTTP/1.1\r\n${host(port)}\r\nX-Half: `,
    trickle: 'x',
    mostOpen: 8000,
    descriptors: 1024,
  },
  {
    name: 'long heads',
    opening: (port) => `GET / HTTP/1.1\r\n${host(port)}\r\nX-Long: ${'x'.repeat(12_000)}`,
    mostOpen: 8000,
  },
  { name: 'slow bodies', opening: (port) => login(port, 4000, '{'), trickle: ' ', mostOpen: 5000 },
  { name: 'unfinished frames, 1 MB each', opening: upgrade, afterUpgrade: beginning(1_000_000), mostOpen: 5000 },
  { name: 'unfinished frames, 1 KB each', opening: upgrade, afterUpgrade: beginning(1000), mostOpen: 5000 },
  {
    name: 'wrong tokens over WebSocket',
    opening: upgrade,
    afterUpgrade: Buffer.concat(Array.from({ length: 1000 }, wrongMessage)),
    mostOpen: 5000,
  },
  {
    name: 'wrong tokens over HTTP',
    opening: (port) => `GET /api/data/cpu HTTP/1.1\r\n${host(port)}\r\nX-API-Token: wrong\r\n\r\n`.repeat(200),
    mostOpen: 200,
  },
  {
    name: 'wrong codes while one waits',
    opening: (port) => login(port, wrongCode.length, wrongCode),
    mostOpen: 200,
    codeWaits: true,
  },
  {
    name: 'pages that nobody reads',
    opening: (port) => `GET /api/openapi.json HTTP/1.1\r\n${host(port)}\r\n\r\n`.repeat(20),
    mostOpen: 2000,
  },
];

const bare = await startBare('source');
const rows: string[][] = [];
for (const form of availableForms()) {
  for (const attack of attacks) if (attack.name.includes(only)) rows.push(await measure(form, attack));
}
printTable(
  `strangers: ${seconds} s of each attack at 10 Mbit/s`,
  [
    '',
    '',
    'connections made',
    'health p50, ms',
    'p99, ms',
    'most, ms',
    'p99 of a server nobody attacks, ms',
    'peak resident, MiB',
    'CPU, cores',
    'goals reached',
  ],
  rows,
);
process.exit(0);

async function measure(form: Form, attack: Attack): Promise<string[]> {
  const directory = temporaryDirectory();
  const { descriptors } = attack;
  const through = descriptors === undefined ? [] : ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh'];
  const hostler = await startHostler(form, { directory, through });
  if (attack.codeWaits)
    fs.writeFileSync(
      path.join(directory, 'state', 'login.json'),
      JSON.stringify([{ sha256: '0'.repeat(64), expires: Date.now() + 600_000 }]),
      { mode: 0o600 },
    );
  const health = await watchHealth({ ...hostler, quietPort: bare.port });
  const before = cpuMs(hostler.pid);
  const made = await attackFor(hostler.port, attack);
  if (!fs.existsSync(`/proc/${hostler.pid}`)) throw new Error(`${attack.name}: the service ended. ${hostler.output()}`);
  const cpu = (cpuMs(hostler.pid) - before) / (seconds * 1000);
  const { times, quietTimes, peak } = await health.stop();
  await hostler.stop();
  const p99 = at(times, 0.99);
  const reached = p99 <= goals.healthMs && peak <= goals.residentMiB;
  const figures = [at(times, 0.5), p99, at(times, 1), at(quietTimes, 0.99), peak].map((value) => value.toFixed(1));
  note(`${form}, ${attack.name}: p99 ${p99.toFixed(1)} ms, ${peak.toFixed(0)} MiB`);
  return [form, attack.name, String(made), ...figures, cpu.toFixed(2), verdict(reached)];
}

function at(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** How many connections were made. */
async function attackFor(port: number, attack: Attack): Promise<number> {
  const end = performance.now() + seconds * 1000;
  const open = new Set<net.Socket>();
  let budget = 0;
  let made = 0;
  let last = performance.now();
  let trickledAt = last;
  while (performance.now() < end) {
    const now = performance.now();
    // No more than a tenth of a second in one go: a line is no bucket.
    budget = Math.min(
      budget + ((now - last) / 1000) * bytesPerSecond,
      bytesPerSecond / 10 + 1_000_000 * Number(budget < 0),
    );
    last = now;
    while (budget > 0 && attack.mostOpen > 0) {
      if (open.size >= attack.mostOpen) open.values().next().value?.destroy();
      budget -=
        connectionBytes +
        begin(port, attack, open, (bytes) => {
          budget -= bytes;
        });
      made++;
    }
    if (attack.trickle !== undefined && now - trickledAt > 1000) {
      trickledAt = now;
      for (const socket of open) if (socket.write(attack.trickle)) budget -= 60;
    }
    await pause(5);
  }
  for (const socket of open) socket.destroy();
  return made;
}

/** Returns the bytes it sends at once. */
function begin(port: number, attack: Attack, open: Set<net.Socket>, spend: (bytes: number) => void): number {
  // Loopback has many addresses; of a network an attacker has at least a few.
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (open.size % 4)}` });
  const opening = attack.opening(port);
  open.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => open.delete(socket));
  if (opening.length > 0) socket.write(opening);
  const { afterUpgrade } = attack;
  if (afterUpgrade === undefined) socket.pause();
  else
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      if (!chunk.toString('latin1').startsWith('HTTP/1.1 101')) return void socket.destroy();
      spend(afterUpgrade.length);
      socket.write(afterUpgrade);
    });
  return opening.length;
}
