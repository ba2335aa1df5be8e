/** CPU time of the server per gigabyte of a large file, against nginx with sendfile. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../test/real/harness/parts.ts';
import { getRequest } from './harness/client.ts';
import { printTable, ratio, spread, verdict } from './harness/figures.ts';
import {
  availableForms,
  freePort,
  note,
  type Running,
  startHostler,
  startProgram,
  temporaryDirectory,
} from './harness/harness.ts';
import { cpuMs, resident } from './harness/process.ts';

const rounds = Number(process.argv[2] ?? 5);
const filesPerRound = 10;
const goal = 1.5;

const name = 'film.mp4';
const home = temporaryDirectory();
// As large as a file may be that is served.
fs.writeFileSync(path.join(home, name), Buffer.alloc(100 * 1024 * 1024, 'hostler '));

interface Subject {
  running: Running;
  request: string;
  costs: number[];
}

const subjects: Subject[] = [];
const nginx = await startNginx();
if (nginx === null) note('nginx is not there (Debian: nginx-light): nothing to compare with.');
else subjects.push({ running: nginx, request: getRequest(`/${name}`), costs: [] });
for (const form of availableForms()) {
  const running = await startHostler(form, { env: { HOME: home } });
  const request = getRequest(`/api/media/file/data?base=home&path=${name}&token=${running.token}`);
  subjects.push({ running, request, costs: [] });
}

for (let round = 0; round <= rounds; round += 1) {
  for (const { running, request, costs } of subjects) {
    const cost = await cpuSecondsPerGigabyte(running, request);
    if (round > 0) costs.push(cost);
  }
}

const floor = nginx === null ? null : (subjects[0]?.costs ?? null);
printTable(
  `CPU seconds per GB of a 100 MiB file, ${rounds} interleaved rounds of ${filesPerRound} files, median (least-most)`,
  ['', 'CPU s a GB', '× nginx', 'goal', 'reached', 'resident afterwards, MiB'],
  subjects.map(({ running, costs }) => {
    const memory = resident(running.pid).total.toFixed(1);
    if (floor === null || running === nginx)
      return [running.name, spread(costs, 3), floor === null ? '' : '1', '', '', memory];
    const quotient = ratio(costs, floor);
    return [running.name, spread(costs, 3), quotient.toFixed(2), `≤ ${goal}`, verdict(quotient <= goal), memory];
  }),
);
for (const { running } of subjects) await running.stop();

async function cpuSecondsPerGigabyte({ pid, port }: Running, request: string): Promise<number> {
  const before = cpuMs(pid);
  const bytes = await download(port, request);
  return (cpuMs(pid) - before) / 1000 / (bytes / 1e9);
}

function download(port: number, request: string): Promise<number> {
  const args = [path.join(import.meta.dirname, 'harness', 'load.ts'), 'files', String(port), String(filesPerRound)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin.end(request);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(Number(output)) : reject(new Error(`load.ts ended with ${code}`)),
    );
  });
}

/** One process that accesses nothing outside its own directory, also as root. */
async function startNginx(): Promise<Running | null> {
  const program = findProgram('nginx');
  if (program === null) return null;
  const port = await freePort();
  const own = temporaryDirectory();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${own}/${kind};\n`)
    .join('');
  fs.writeFileSync(
    path.join(own, 'nginx.conf'),
    `daemon off;
master_process off;
pid ${own}/pid;
error_log stderr;
events { worker_connections 64; }
http {
${temporary}  access_log off;
  sendfile on;
  tcp_nopush on;
  types { video/mp4 mp4; }
  server { listen 127.0.0.1:${port}; root ${home}; }
}
`,
  );
  return startProgram('nginx, sendfile', [program, '-p', own, '-e', 'stderr', '-c', path.join(own, 'nginx.conf')], {
    port,
    env: { PATH: process.env.PATH ?? '' },
    says: null,
  });
}
