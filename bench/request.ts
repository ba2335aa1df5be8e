/** CPU time of the server for one request, against a bare `Bun.serve` that sends the same bytes with the same headers. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../test/real/harness/parts.ts';
import { captureResponse } from './harness/captured-response.ts';
import { getRequest } from './harness/client.ts';
import { median, printTable, spread, verdict } from './harness/figures.ts';
import {
  availableForms,
  type Form,
  note,
  type Running,
  startBare,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { cpuMs } from './harness/process.ts';

/** Of each subject: where its code and memory happen to lie makes more difference than anything while it runs. */
const starts = Number(process.argv[2] ?? 9);
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
  `CPU per request in µs, ${starts} starts of each in turn, ${connections} connections kept alive, load by ${wrk === null ? 'load.ts' : 'wrk'}, median (least-most)`,
  ['', 'route', 'bytes', 'µs a request', '× bare', 'goal', 'reached', '× bare with Headers made once'],
  rows,
);

async function compare(form: Form, route: string, goalHere: number | null): Promise<string[][]> {
  const file = path.join(temporaryDirectory(), 'answer.json');
  const directory = temporaryDirectory();
  const first = await startHostler(form, { directory });
  const headers = { 'X-API-Token': first.token };
  const answer = await captureResponse(`http://127.0.0.1:${first.port}${route}`, headers);
  await first.stop();
  fs.writeFileSync(file, JSON.stringify(answer));
  const subjects = [
    { start: () => startBare(form, { answer: file }), names: new Set<string>(), costs: [] as number[] },
    {
      start: () => startBare(form, { answer: file, headersOnce: true }),
      names: new Set<string>(),
      costs: [] as number[],
    },
    { start: () => startHostler(form, { directory }), names: new Set<string>(), costs: [] as number[] },
  ];
  for (let round = 0; round < starts; round += 1) {
    for (const { start, names, costs } of subjects) {
      const running = await start();
      names.add(running.name);
      const copy = await captureResponse(`http://127.0.0.1:${running.port}${route}`, headers);
      if (Object.entries(copy.headers).join() !== Object.entries(answer.headers).join())
        throw new Error(`${running.name} does not send the same headers`);
      // For the compiler of the runtime; not counted.
      await cpuPerRequest(running, route, headers);
      costs.push(await cpuPerRequest(running, route, headers));
      await running.stop();
    }
  }
  const bytes = String(new TextEncoder().encode(answer.body).length);
  const [floor, lean, ours] = subjects.map(({ costs }) => median(costs));
  return subjects.map(({ names, costs }, index) => {
    const quotient = median(costs) / (floor ?? Number.NaN);
    const judged = index === 2 && goalHere !== null;
    return [
      [...names].join(),
      route,
      bytes,
      spread(costs, 1),
      quotient.toFixed(2),
      judged ? `≤ ${goalHere}` : '',
      judged ? verdict(quotient <= goalHere) : '',
      index === 2 ? ((ours ?? Number.NaN) / (lean ?? Number.NaN)).toFixed(2) : '',
    ];
  });
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
  const script = path.join(import.meta.dirname, 'harness', 'load.ts');
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
