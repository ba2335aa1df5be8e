/** CPU time of the server for one request, against a bare `Bun.serve` that sends the same bytes with the same headers. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../test/real/parts.ts';
import { captureAnswer } from './answer.ts';
import { getRequest } from './client.ts';
import { printTable, ratio, spread, verdict } from './figures.ts';
import { availableForms, type Form, note, startBare, startHostler, temporaryDirectory } from './harness.ts';
import { cpuMs } from './process.ts';

const rounds = Number(process.argv[2] ?? 7);
const seconds = 2;
const connections = 8;
const goal = 1.4;

const wrk = findProgram('wrk');
if (wrk === null) note('wrk is not there: load.ts makes the load instead.');

const rows: string[][] = [];
for (const form of availableForms()) {
  for (const [route, goalHere] of [
    ['/api/data/memory', goal],
    ['/api/health', null],
  ] as const)
    rows.push(...(await compare(form, route, goalHere)));
}
printTable(
  `CPU per request in µs, ${rounds} interleaved rounds, ${connections} connections kept alive, load by ${wrk === null ? 'load.ts' : 'wrk'}, median (least-most)`,
  ['', 'route', 'bytes', 'µs a request', '× bare', 'goal', 'reached'],
  rows,
);

async function compare(form: Form, route: string, goalHere: number | null): Promise<string[][]> {
  const hostler = await startHostler(form);
  const headers = { 'X-API-Token': hostler.token };
  const answer = await captureAnswer(`http://127.0.0.1:${hostler.port}${route}`, headers);
  const file = path.join(temporaryDirectory(), 'answer.json');
  fs.writeFileSync(file, JSON.stringify(answer));
  const bare = await startBare(form, file);
  const copy = await captureAnswer(`http://127.0.0.1:${bare.port}${route}`, headers);
  if (JSON.stringify(copy) !== JSON.stringify(answer)) throw new Error('The bare server does not send the same answer');

  const floor: number[] = [];
  const ours: number[] = [];
  // The first round is for the compiler of the runtime.
  for (let round = 0; round <= rounds; round += 1) {
    const bareCost = await cpuPerRequest(bare.pid, bare.port, route, headers);
    const ourCost = await cpuPerRequest(hostler.pid, hostler.port, route, headers);
    if (round === 0) continue;
    floor.push(bareCost);
    ours.push(ourCost);
  }
  await Promise.all([bare.stop(), hostler.stop()]);
  const bytes = String(new TextEncoder().encode(answer.body).length);
  const quotient = ratio(ours, floor);
  return [
    [bare.name, route, bytes, spread(floor, 1), '1', '', ''],
    [
      hostler.name,
      route,
      bytes,
      spread(ours, 1),
      quotient.toFixed(2),
      goalHere === null ? '' : `≤ ${goalHere}`,
      goalHere === null ? '' : verdict(quotient <= goalHere),
    ],
  ];
}

async function cpuPerRequest(
  pid: number,
  port: number,
  route: string,
  headers: Record<string, string>,
): Promise<number> {
  const before = cpuMs(pid);
  const count = wrk === null ? await ownLoad(port, route, headers) : await wrkLoad(wrk, port, route, headers);
  return ((cpuMs(pid) - before) * 1000) / count;
}

async function wrkLoad(program: string, port: number, route: string, headers: Record<string, string>): Promise<number> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const output = await outputOf(
    program,
    ['-t1', `-c${connections}`, `-d${seconds}s`, ...given, `http://127.0.0.1:${port}${route}`],
    '',
  );
  if (output.includes('Non-2xx')) throw new Error(`the server refused: ${output}`);
  return Number(/(\d+) requests in/.exec(output)?.[1] ?? Number.NaN);
}

async function ownLoad(port: number, route: string, headers: Record<string, string>): Promise<number> {
  const count = 20_000 * seconds;
  const script = path.join(import.meta.dirname, 'load.ts');
  await outputOf(
    process.execPath,
    [script, 'requests', String(port), String(connections), String(count)],
    getRequest(route, headers),
  );
  return count;
}

function outputOf(program: string, args: string[], input: string): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${program} ended with ${code}`))));
  });
}
