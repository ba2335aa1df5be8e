/**
 * What resident memory consists of after each step, each in a new process of the compiled program. The heap is that of a second process,
 * which a preloaded script lets answer a signal; all other figures are of one without it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { openBroker } from '../test/real/harness/broker.ts';
import { findProgram } from '../test/real/harness/parts.ts';
import { until } from '../test/real/harness/service.ts';
import { parts, type Split, splitOf } from './harness/attribution.ts';
import { median, printTable } from './harness/figures.ts';
import {
  availableForms,
  note,
  pause,
  type RunningHostler,
  startBare,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { cpuMs, threads } from './harness/process.ts';

const rounds = Number(process.argv[2] ?? 3);
const only = process.argv[3] ?? '';
const settleMs = 1500;
const manyRequests = 10_000;
/** Options of the runtime in the environment of this script are passed on, so that one can be tried without a build. */
const runtimeOptions = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    /^(?:BUN_|MIMALLOC_|HOSTLER_TUNED)/.test(name) && value !== undefined ? [[name, value]] : [],
  ),
);

// The machine's other processes and sockets would be part of the payloads.
await enterNamespaces();
if (!availableForms().includes('compiled')) process.exit(1);

interface Step {
  name: string;
  /** Resident, and own. */
  goal: readonly [number, number] | null;
  settings?: () => Record<string, unknown>;
  run?(hostler: RunningHostler): Promise<unknown>;
}

const broker = findProgram('mosquitto') === null ? null : await openBroker();
let pushes = 0;
const collector = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => {
    pushes += 1;
    return new Response(null);
  },
});

const steps: Step[] = [
  { name: 'start', goal: [28, 6] },
  { name: 'one module', goal: null, run: (hostler) => get(hostler, ['/api/data/memory']) },
  { name: '12 modules', goal: [38, 10], run: (hostler) => get(hostler, modulePaths.slice(0, 12)) },
  { name: 'all modules', goal: [42, 12], run: (hostler) => get(hostler, modulePaths) },
  { name: 'first scrape', goal: [46, 15], run: (hostler) => get(hostler, ['/metrics']) },
  { name: '21st scrape', goal: [46, 15], run: (hostler) => get(hostler, Array(21).fill('/metrics')) },
  { name: 'first MCP session', goal: [46, 15], run: agent },
  { name: '10,000 requests', goal: [46, 15], run: busy },
  { name: 'settings file', goal: null, settings: () => ({ history: { enabled: true } }) },
  ...(broker === null ? [] : [mqtt(broker.port)]),
  {
    name: 'OTLP',
    goal: null,
    settings: () => ({ otlp: { endpoint: `http://127.0.0.1:${collector.port}`, interval: 10 } }),
    run: async () => {
      const before = pushes;
      await until(() => pushes > before || null);
    },
  },
];
const modulePaths = await withService({}, {}, async ({ port, token }) =>
  (await readableModules(port, token)).map((name) => `/api/data/${name}`),
);

const rows: string[][] = [await bareRow()];
for (const step of steps.filter(({ name }) => new RegExp(only).test(name))) {
  const splits: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) splits.push(await withService(step, {}, measure));
  const heap = await withService(step, { BUN_OPTIONS: `--preload ${probe()}` }, heapOf);
  const cell = (part: keyof Measured) => median(splits.map((split) => split[part])).toFixed(1);
  const goal = step.goal === null ? '' : `≤ ${step.goal.join(', ')}`;
  rows.push([step.name, ...parts.map(cell), heap.toFixed(1), cell('threads'), cell('cpu'), goal]);
  note(`${step.name}: ${cell('total')}`);
}
printTable(
  `Resident memory in MiB by what it holds, compiled, medians of ${rounds}`,
  ['', ...parts, 'JS heap capacity', 'threads', 'CPU ms since start', 'goal of total, own'],
  rows,
);
await broker?.[Symbol.asyncDispose]();
await collector.stop(true);

async function bareRow(): Promise<string[]> {
  const bare = await startBare('compiled');
  await (await fetch(`http://127.0.0.1:${bare.port}/`)).text();
  await pause(settleMs);
  const split = splitOf(bare.pid);
  const row = parts.map((part) => split[part].toFixed(1));
  const more = [threads(bare.pid).toFixed(1), cpuMs(bare.pid).toFixed(1)];
  await bare.stop();
  return ['bare Bun.serve', ...row, '', ...more, ''];
}

async function withService<Result>(
  { settings, run }: Pick<Step, 'settings' | 'run'>,
  env: Record<string, string>,
  use: (hostler: RunningHostler) => Result | Promise<Result>,
): Promise<Result> {
  const directory = temporaryDirectory();
  if (settings !== undefined) {
    fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
    fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings()));
  }
  const hostler = await startHostler('compiled', { directory, env: { ...runtimeOptions, ...env } });
  await get(hostler, ['/api/health']);
  await run?.(hostler);
  await pause(settleMs);
  const result = await use(hostler);
  await hostler.stop();
  return result;
}

interface Measured extends Split {
  threads: number;
  cpu: number;
}

function measure({ pid }: RunningHostler): Measured {
  return { ...splitOf(pid), threads: threads(pid), cpu: cpuMs(pid) };
}

async function heapOf({ pid, output }: RunningHostler): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  const bytes = await until(() => /heapCapacity (\d+)/.exec(output())?.[1] ?? null);
  return Number(bytes) / 2 ** 20;
}

function probe(): string {
  const file = path.join(temporaryDirectory(), 'probe.mjs');
  fs.writeFileSync(
    file,
    `import { heapStats } from 'bun:jsc';
process.on('SIGUSR2', () => console.error('heapCapacity', heapStats().heapCapacity));`,
  );
  return file;
}

/** Returns the last answer. */
async function get({ port, token }: RunningHostler, paths: string[]): Promise<string> {
  let text = '';
  for (const each of paths) {
    const answer = await fetch(`http://127.0.0.1:${port}${each}`, { headers: { 'X-API-Token': token } });
    text = await answer.text();
    if (!answer.ok) throw new Error(`${each} answered ${answer.status}: ${text}`);
  }
  return text;
}

async function busy(hostler: RunningHostler): Promise<void> {
  let sent = 0;
  const lane = async () => {
    while (sent < manyRequests) await get(hostler, [modulePaths[sent++ % modulePaths.length] ?? '']);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

async function agent({ port, token }: RunningHostler): Promise<void> {
  const headers: Record<string, string> = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const post = async (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const answer = await fetch(`http://127.0.0.1:${port}/api/mcp`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`MCP answered ${answer.status}: ${text}`);
    return answer;
  };
  const protocolVersion = '2025-11-25';
  const clientInfo = { name: 'bench', version: '1' };
  const begun = await post({ id: 0, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } });
  headers['Mcp-Session-Id'] = begun.headers.get('mcp-session-id') ?? '';
  headers['MCP-Protocol-Version'] = protocolVersion;
  await post({ method: 'notifications/initialized' });
  await post({ id: 1, method: 'tools/list', params: {} });
  await post({ id: 2, method: 'tools/call', params: { name: 'get_overview', arguments: {} } });
}

function mqtt(port: number): Step {
  return {
    name: 'MQTT',
    goal: null,
    settings: () => ({ mqtt: { url: `mqtt://127.0.0.1:${port}` } }),
    run: async (hostler) => {
      await until(async () => (isConnected(await get(hostler, ['/api/mqtt'])) ? true : null));
      await pause(3000);
    },
  };
}

function isConnected(text: string): boolean {
  const { connected }: { connected?: unknown } = JSON.parse(text);
  return connected === true;
}
