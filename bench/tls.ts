/** What TLS costs: a request, a handshake and memory, of Hostler itself and of nginx in front of it, in turns. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../test/real/harness/parts.ts';
import { serverSettings } from '../test/real/harness/tls.ts';
import { printTable, spread } from './harness/figures.ts';
import { availableForms, freePort, note, startHostler, startProgram, temporaryDirectory } from './harness/harness.ts';
import { cpuMs, resident } from './harness/process.ts';

/** Another one than that of the system, such as one that was only unpacked. */
const nginx = process.env.NGINX ?? findProgram('nginx');
const rounds = Number(process.argv[2] ?? 5);
const requests = 10_000;
const handshakes = 1000;
const connections = 8;
const form = availableForms().at(-1) ?? 'source';
const route = '/api/data/memory';

interface Subject {
  name: string;
  /** Of all that take part. */
  pids: number[];
  port: number;
  token: string;
  stop(): Promise<void>;
}

const directory = temporaryDirectory();
const subjects: [string, () => Promise<Subject>][] = [
  ['hostler without TLS', () => startOurs('off')],
  ['hostler with TLS', () => startOurs('auto')],
  ...(nginx === null ? [] : [['nginx before hostler', () => startProxy(nginx)] as [string, () => Promise<Subject>]]),
];
if (nginx === null) note('nginx is not there: only Hostler is measured. NGINX=/path/to/nginx names one.');

const figures = new Map(
  subjects.map(([name]) => [
    name,
    { keep: [] as number[], fresh: [] as number[], rest: [] as number[], busy: [] as number[] },
  ]),
);
for (let round = 0; round < rounds; round += 1) {
  for (const [name, start] of subjects) {
    const subject = await start();
    const mine = figures.get(name);
    const request = `GET ${route} HTTP/1.1\r\nHost: localhost\r\nX-API-Token: ${subject.token}\r\n\r\n`;
    mine?.rest.push(memoryOf(subject));
    if (name === 'hostler without TLS') {
      await subject.stop();
      continue;
    }
    await cost(subject, request, 2000, 'keep');
    mine?.keep.push(await cost(subject, request, requests, 'keep'));
    mine?.fresh.push(await cost(subject, request, handshakes, 'new'));
    mine?.busy.push(memoryOf(subject));
    await subject.stop();
  }
}
const shown = (values: number[]) => (values.length === 0 ? '–' : spread(values, 0));
printTable(
  `${form}, ${rounds} starts of each in turn, ${connections} connections; CPU of all processes that take part, median (least-most)`,
  ['', 'µs a request, kept alive', 'µs a request with a handshake', 'MiB after the start', 'MiB after the load'],
  [...figures].map(([name, { keep, fresh, rest, busy }]) => [
    name,
    shown(keep),
    shown(fresh),
    shown(rest),
    shown(busy),
  ]),
);

function memoryOf({ pids }: Subject): number {
  return pids.reduce((sum, pid) => sum + resident(pid).total, 0);
}

async function cost({ pids, port }: Subject, request: string, count: number, kind: 'keep' | 'new'): Promise<number> {
  const used = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const before = used();
  const load = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'tls', 'load.ts'), String(port), String(connections), String(count), kind],
    {
      stdio: ['pipe', 'inherit', 'inherit'],
    },
  );
  load.stdin.end(request);
  const code = await new Promise((resolve) => load.once('exit', resolve));
  if (code !== 0) throw new Error('the load failed');
  return ((used() - before) * 1000) / count;
}

async function startOurs(tls: 'auto' | 'off'): Promise<Subject> {
  const tlsPort = await freePort();
  serverSettings({ tls, tlsPort })(directory);
  const running = await startHostler(form, { directory });
  return { name: running.name, pids: [running.pid], port: tlsPort, token: running.token, stop: running.stop };
}

/** As its documentation has it: one worker, the same certificate, keep-alive connections to Hostler. */
async function startProxy(program: string): Promise<Subject> {
  serverSettings({})(directory);
  const behind = await startHostler(form, { directory });
  const port = await freePort();
  const place = temporaryDirectory();
  const pem = path.join(directory, 'state', 'tls', 'machine.pem');
  const config = `
    daemon off; worker_processes 1; pid ${place}/pid; error_log stderr warn; user root;
    events { worker_connections 4096; }
    http {
      access_log off; client_body_temp_path ${place}/a; proxy_temp_path ${place}/b; fastcgi_temp_path ${place}/c;
      uwsgi_temp_path ${place}/d; scgi_temp_path ${place}/e;
      upstream hostler { server 127.0.0.1:${behind.port}; keepalive 16; }
      server {
        listen 127.0.0.1:${port} ssl; ssl_certificate ${pem}; ssl_certificate_key ${pem}; ssl_protocols TLSv1.2 TLSv1.3;
        keepalive_requests 1000000;
        location / { proxy_pass http://hostler; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host localhost; }
      }
    }`;
  fs.writeFileSync(path.join(place, 'nginx.conf'), config);
  const proxy = await startProgram('nginx', [program, '-c', path.join(place, 'nginx.conf'), '-p', place], {
    port,
    env: { PATH: process.env.PATH ?? '' },
    says: null,
  });
  const workers = fs
    .readFileSync(`/proc/${proxy.pid}/task/${proxy.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  return {
    name: 'nginx',
    pids: [behind.pid, proxy.pid, ...workers],
    port,
    token: behind.token,
    async stop() {
      await proxy.stop();
      await behind.stop();
    },
  };
}
