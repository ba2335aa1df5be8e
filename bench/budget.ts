/**
 * The figures that must not get worse, in about two minutes: `budget.ts [--write]`. Each is a ratio to a bare `Bun.serve` in the same run, so that it
 * depends little on the machine. It is compared with budget.json, by architecture; 10 % above fails with the name of the row. `--write` accepts
 * the new figures.
 */
import fs from 'node:fs';
import path from 'node:path';
import { connect, getRequest } from './harness/client.ts';
import { median, printTable, verdict } from './harness/figures.ts';
import { pause, type Running, startBare, startHostler, temporaryDirectory } from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { cpuMs, resident } from './harness/process.ts';

const rounds = 5;
const requests = 5000;
/** Until the runtime has compiled what a request uses. With fewer some rounds measure compiled code and others do not: 21 or 34 µs. */
const warmRequests = 25_000;
const starts = 4;
/** Of the requests, and scrapes. */
const slices = 20;
const settleMs = 1000;
const tolerance = 1.1;
const file = path.join(import.meta.dirname, 'budget.json');

type Figures = Record<string, number>;

await enterNamespaces();
const directory = temporaryDirectory();
const directoryOfStarts = temporaryDirectory();
const measured: Figures[] = [];
for (let round = 0; round <= rounds; round += 1) {
  const figures = await measureRound();
  // The first round warms the disk cache and creates the token.
  if (round > 0) measured.push(figures);
}
const names = Object.keys(measured[0] ?? {});
const figures = Object.fromEntries(
  names.map((name) => [name, median(measured.map((each) => each[name] ?? Number.NaN))]),
);

const known: Record<string, Figures> = JSON.parse(fs.readFileSync(file, 'utf8'));
const budget = known[process.arch];
const exceeded = names.filter(
  (name) => (figures[name] ?? 0) > (budget?.[name] ?? Number.POSITIVE_INFINITY) * tolerance,
);
printTable(
  `Ratios to a bare Bun.serve, compiled, medians of ${rounds} rounds`,
  ['', 'now', 'budget', 'within 10 %'],
  names.map((name) => [
    name,
    (figures[name] ?? Number.NaN).toFixed(2),
    budget?.[name]?.toFixed(2) ?? '',
    budget === undefined ? '' : verdict(!exceeded.includes(name)),
  ]),
);
if (process.argv.includes('--write')) {
  const rounded = Object.fromEntries(names.map((name) => [name, Number((figures[name] ?? Number.NaN).toFixed(2))]));
  fs.writeFileSync(file, `${JSON.stringify({ ...known, [process.arch]: rounded }, null, 2)}\n`);
} else if (budget === undefined) {
  process.stdout.write(`not compared: budget.json has no figures for ${process.arch}; "budget.ts --write" adds them\n`);
} else if (exceeded.length > 0) {
  process.stderr.write(`above the budget: ${exceeded.join(', ')}\n`);
  process.exit(1);
}
process.exit(0);

async function measureRound(): Promise<Figures> {
  const start = await startRatio();
  const bare = await startBare('compiled');
  const ask = getRequest('/');
  await send(bare.port, [ask], 1);
  const floor = await settled(bare);
  await send(bare.port, [ask], warmRequests);

  const hostler = await startHostler('compiled', { directory });
  const headers = { 'X-API-Token': hostler.token };
  await send(hostler.port, [getRequest('/api/health')], 1);
  const afterStart = (await settled(hostler)) / floor;
  const modules = (await readableModules(hostler.port, hostler.token)).map((name) =>
    getRequest(`/api/data/${name}`, headers),
  );
  await send(hostler.port, modules, modules.length);
  const afterModules = (await settled(hostler)) / floor;
  const memory = [getRequest('/api/data/memory', headers)];
  await send(hostler.port, memory, 2 * requests);
  const afterRequests = (await settled(hostler)) / floor;
  await send(hostler.port, memory, warmRequests - 2 * requests);
  const askBare = () => send(bare.port, [ask], requests / slices);
  const request = await ratio(hostler, bare, () => send(hostler.port, memory, requests / slices), askBare);
  const scrape = [getRequest('/metrics', headers)];
  // With pauses: a payload that was read for the previous scrape must be too old for the next.
  const scraped = await ratio(hostler, bare, () => send(hostler.port, scrape, 1), askBare, 300);
  const afterScrapes = (await settled(hostler)) / floor;
  await hostler.stop();
  await bare.stop();
  return {
    'CPU until the first answer': start,
    'memory after the start': afterStart,
    'memory after all modules': afterModules,
    'CPU per request': request,
    [`memory after ${2 * requests} requests`]: afterRequests,
    [`CPU of ${slices} scrapes, of ${requests} bare requests`]: scraped,
    [`memory after ${slices} scrapes`]: afterScrapes,
  };
}

async function startRatio(): Promise<number> {
  const spent = { ours: 0, bare: 0 };
  for (let turn = 0; turn < starts; turn += 1) {
    const bare = await startBare('compiled');
    await send(bare.port, [getRequest('/')], 1);
    spent.bare += cpuMs(bare.pid);
    await bare.stop();
    const hostler = await startHostler('compiled', { directory: directoryOfStarts });
    await send(hostler.port, [getRequest('/api/health')], 1);
    spent.ours += cpuMs(hostler.pid);
    await hostler.stop();
  }
  return spent.ours / spent.bare;
}

/** In turns: a virtual machine is twice as fast in one second as in another. */
async function ratio(
  ours: Running,
  bare: Running,
  askOurs: () => Promise<void>,
  askBare: () => Promise<void>,
  pauseMs = 0,
): Promise<number> {
  const before = [cpuMs(ours.pid), cpuMs(bare.pid)] as const;
  for (let slice = 0; slice < slices; slice += 1) {
    await askOurs();
    await askBare();
    await pause(pauseMs);
  }
  return (cpuMs(ours.pid) - before[0]) / (cpuMs(bare.pid) - before[1]);
}

async function settled({ pid }: Running): Promise<number> {
  await pause(settleMs);
  return resident(pid).total;
}

/** Over eight connections. */
async function send(port: number, texts: string[], count: number): Promise<void> {
  let sent = 0;
  const lane = async () => {
    const client = await connect(port);
    for (let mine = sent++; mine < count; mine = sent++) await client.ask(texts[mine % texts.length] ?? '');
    client.close();
  };
  await Promise.all(Array.from({ length: Math.min(8, count) }, lane));
}
