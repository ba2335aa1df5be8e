/** CPU time of the server for one request, against a bare `Bun.serve` that sends the same bytes with the same headers. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../test/real/parts.ts';
import { captureAnswer } from './answer.ts';
import { getRequest } from './client.ts';
import { printTable, ratio, spread, verdict } from './figures.ts';
import {
  availableForms,
  type Form,
  note,
  type Running,
  startBare,
  startHostler,
  temporaryDirectory,
} from './harness.ts';
import { cpuMs } from './process.ts';

const rounds = Number(process.argv[2] ?? 11);
const seconds = 1;
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
  ['', 'route', 'bytes', 'µs a request', '× bare', 'goal', 'reached', '× bare with Headers made once'],
  rows,
);

async function compare(form: Form, route: string, goalHere: number | null): Promise<string[][]> {
  const hostler = await startHostler(form);
  const headers = { 'X-API-Token': hostler.token };
  const answer = await captureAnswer(`http://127.0.0.1:${hostler.port}${route}`, headers);
  const file = path.join(temporaryDirectory(), 'answer.json');
  fs.writeFileSync(file, JSON.stringify(answer));
  const bare = await startBare(form, { answer: file });
  const leaner = await startBare(form, { answer: file, headersOnce: true });
  const subjects = [bare, leaner, hostler].map((running) => ({ running, costs: [] as number[] }));
  for (const { running } of subjects) {
    const copy = await captureAnswer(`http://127.0.0.1:${running.port}${route}`, headers);
    if (Object.entries(copy.headers).join() !== Object.entries(answer.headers).join())
      throw new Error(`${running.name} does not send the same headers`);
  }

  // The first round is for the compiler of the runtime.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { running, costs } of subjects) {
      const cost = await cpuPerRequest(running, route, headers);
      if (round > 0) costs.push(cost);
    }
  }
  for (const { running } of subjects) await running.stop();
  const bytes = String(new TextEncoder().encode(answer.body).length);
  const [floor = [], lean = [], ours = []] = subjects.map(({ costs }) => costs);
  const quotient = ratio(ours, floor);
  return [
    [bare.name, route, bytes, spread(floor, 1), '1', '', '', ''],
    [leaner.name, route, bytes, spread(lean, 1), ratio(lean, floor).toFixed(2), '', '', '1'],
    [
      hostler.name,
      route,
      bytes,
      spread(ours, 1),
      quotient.toFixed(2),
      goalHere === null ? '' : `≤ ${goalHere}`,
      goalHere === null ? '' : verdict(quotient <= goalHere),
      ratio(ours, lean).toFixed(2),
    ],
  ];
}

async function cpuPerRequest({ pid, port }: Running, route: string, headers: Record<string, string>): Promise<number> {
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
