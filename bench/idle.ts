/** What the service costs without requests, after requests for everything. All subjects idle in the same minute. */
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../test/real/harness/parts.ts';
import { printTable, verdict } from './harness/figures.ts';
import {
  availableForms,
  freePort,
  note,
  pause,
  type Running,
  type RunningHostler,
  startBare,
  startHostler,
  startProgram,
  temporaryDirectory,
} from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { cpuMs, resident, switchesBetween, voluntarySwitches } from './harness/process.ts';

const seconds = Number(process.argv[2] ?? 60);
/** Keep-alive connections have ended by then, and so have the helper threads of the runtime. */
const settleSeconds = 35;
const goalMs = 10;

const subjects: Running[] = [];
for (const form of availableForms()) {
  const directory = temporaryDirectory();
  fs.mkdirSync(path.join(directory, 'home'));
  fs.writeFileSync(path.join(directory, 'home', 'film.mp4'), Buffer.alloc(5_000_000));
  const hostler = await startHostler(form, { directory });
  await askEverything(hostler);
  subjects.push(hostler);
}
const bare = await startBare('source');
await fetch(`http://127.0.0.1:${bare.port}/`);
subjects.push(bare);
const exporter = await startExporter();
if (exporter !== null) subjects.push(exporter);

await pause(settleSeconds * 1000);
const before = subjects.map(({ pid }) => ({ cpu: cpuMs(pid), switches: voluntarySwitches(pid) }));
await pause(seconds * 1000);
const rows = subjects.map(({ name, pid }, index) => {
  const cpu = cpuMs(pid) - (before[index]?.cpu ?? 0);
  const switches = switchesBetween(before[index]?.switches ?? new Map(), voluntarySwitches(pid));
  const ours = name.startsWith('hostler');
  return [
    name,
    cpu.toFixed(2),
    String(switches),
    resident(pid).total.toFixed(1),
    ours ? `< ${goalMs} ms` : '',
    ours ? verdict(cpu < (goalMs * seconds) / 60) : '',
  ];
});
printTable(
  `${seconds} s without requests, after requests of every kind and ${settleSeconds} s of rest`,
  ['', 'CPU ms', 'voluntary context switches', 'resident, MiB', 'goal for 60 s', 'reached'],
  rows,
);
for (const subject of subjects) await subject.stop();

async function askEverything({ port, token }: RunningHostler): Promise<void> {
  const base = `http://127.0.0.1:${port}`;
  const names = await readableModules(port, token);
  for (let turn = 0; turn < 50; turn += 1) {
    for (const name of names) await fetch(`${base}/api/data/${name}`, { headers: { 'X-API-Token': token } });
    await fetch(`${base}/api/data/memory`, { headers: { 'X-API-Token': 'wrong' } });
    await fetch(`${base}/api/health`);
  }
  for (const route of [
    '/api/docs',
    '/api/openapi.json',
    '/api',
    `/api/media/file/data?base=home&path=film.mp4&token=${token}`,
  ])
    await (await fetch(`${base}${route}`)).arrayBuffer();
}

async function startExporter(): Promise<Running | null> {
  const program = findProgram('prometheus-node-exporter') ?? findProgram('node_exporter');
  if (program === null) {
    note('prometheus-node-exporter is not there: nothing to compare with.');
    return null;
  }
  const port = await freePort();
  const running = await startProgram('node_exporter', [program, `--web.listen-address=127.0.0.1:${port}`], {
    port,
    env: { PATH: process.env.PATH ?? '' },
    says: null,
  });
  for (let turn = 0; turn < 50; turn += 1) await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return running;
}
