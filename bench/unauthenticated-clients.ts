/** Attacks without a token that fit into 10 Mbit/s: how health is answered meanwhile, and how a client of another network connects. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { until } from '../test/real/harness/service.ts';
import { serverSettings } from '../test/real/harness/tls.ts';
import { printTable, verdict } from './harness/figures.ts';
import {
  accepts,
  availableForms,
  type Form,
  freePort,
  note,
  pause,
  startBare,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { cpuMs } from './harness/process.ts';
import { type Attack, attacks } from './unauthenticated-clients/attacks.ts';
import { measureFreshNetwork } from './unauthenticated-clients/fresh-network.ts';
import { watchHealth } from './unauthenticated-clients/health.ts';

const seconds = Number(process.argv[2] ?? 15);
const only = process.argv[3] ?? '';
const bytesPerSecond = 1_250_000;
/** Handshake, acknowledgements and the end of a connection, on the way to the service. */
const connectionBytes = 320;
const goals = { healthMs: 100, residentMiB: 150, connectMs: 1000 };

const bare = await startBare('source');
const rows: string[][] = [];
for (const form of availableForms()) {
  for (const attack of attacks) if (attack.name.includes(only)) rows.push(await measure(form, attack));
}
printTable(
  `unauthenticated clients: ${seconds} s of each attack at 10 Mbit/s`,
  [
    '',
    '',
    'connections made',
    'health p50, ms',
    'p99, ms',
    'most, ms',
    'p99 of a server without attacks, ms',
    'peak resident, MiB',
    'CPU, cores',
    'goals reached',
  ],
  rows,
);
if (only === '' || 'admission queue'.includes(only)) await printFreshNetwork();
process.exit(0);

async function printFreshNetwork(): Promise<void> {
  const lines: string[][] = [];
  for (const form of availableForms())
    for (const tokenIn of ['message', 'headers'] as const)
      for (const networks of [2, 4]) {
        const { times, refused } = await measureFreshNetwork(form, networks, tokenIn);
        const reached = refused === 0 && at(times, 1) <= goals.connectMs;
        const figures = [at(times, 0.5), at(times, 1)].map((value) => value.toFixed(0));
        lines.push([form, String(networks), tokenIn, ...figures, String(refused), verdict(reached)]);
      }
  printTable(
    'a client of another network while networks occupy the WebSocket admission queue, to its first answer',
    ['', 'networks', 'token in', 'p50, ms', 'most, ms', 'refused', 'goals reached'],
    lines,
  );
}

async function measure(form: Form, attack: Attack): Promise<string[]> {
  const directory = temporaryDirectory();
  const { descriptors } = attack;
  const through = descriptors === undefined ? [] : ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh'];
  const tlsPort = attack.overTls ? await freePort() : null;
  if (tlsPort !== null) serverSettings({ tls: 'auto', tlsPort })(directory);
  const hostler = await startHostler(form, { directory, through });
  if (tlsPort !== null) await until(async () => ((await accepts(tlsPort)) ? true : null));
  if (attack.codeWaits)
    fs.writeFileSync(
      path.join(directory, 'state', 'login.json'),
      JSON.stringify([{ sha256: '0'.repeat(64), expires: Date.now() + 600_000 }]),
      { mode: 0o600 },
    );
  const health = await watchHealth({ ...hostler, quietPort: bare.port });
  const before = cpuMs(hostler.pid);
  const made = await attackFor(tlsPort ?? hostler.port, attack);
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
    // At most a tenth of a second at once: the budget must not accumulate.
    budget = Math.min(
      budget + ((now - last) / 1000) * bytesPerSecond,
      bytesPerSecond / 10 + 1_000_000 * Number(budget < 0),
    );
    last = now;
    while (budget > 0 && attack.mostOpen > 0) {
      const [oldest] = open;
      if (oldest !== undefined && open.size >= attack.mostOpen) {
        open.delete(oldest);
        oldest.destroy();
      }
      budget -=
        connectionBytes +
        begin(port, attack, open, made, (bytes) => {
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
function begin(
  port: number,
  attack: Attack,
  open: Set<net.Socket>,
  index: number,
  spend: (bytes: number) => void,
): number {
  // Many source addresses of one network: ports in TIME_WAIT must not become the limit of this script.
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (index % 200)}` });
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
