/** The Windows build under Wine: start, milliseconds a module, memory. Figures of Wine, which say little about Windows. */
import type { Memory } from '../src/features/memory/memory.schema.ts';
import type { Process } from '../src/features/processes/processes.schema.ts';
import { needsWine, startWineHostler } from '../test/real/harness/wine.ts';

const rounds = Number(process.argv[2] ?? 5);
if (!needsWine()) process.exit(1);

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface State {
  name: string;
  cost: { wall_ms: number } | null;
}

const hostler = await startWineHostler();
try {
  const memory = async () => {
    const list = (await (await hostler.get('/api/data/processes')).json()) as Process[];
    const own = list.find(({ name }) => name === 'hostler.exe');
    const { virtual } = (await (await hostler.get('/api/data/memory')).json()) as Memory;
    return (((own?.memory_usage ?? Number.NaN) / 100) * (virtual.total ?? Number.NaN)) / 2 ** 20;
  };
  const states = async () => (await (await hostler.get('/api/modules')).json()) as State[];
  const names = (await states()).map(({ name }) => name);
  const costs = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) await (await hostler.get(`/api/data/${name}`)).text();
    for (const { name, cost } of await states()) {
      // The first read loads what it needs.
      if (cost === null || round === 0) continue;
      costs.set(name, [...(costs.get(name) ?? []), cost.wall_ms]);
    }
    await pause(400);
  }
  // CPU time is left out: Wine counts it in ticks.
  console.log('| module | ms, median |\n|---|---|');
  for (const [name, wall] of costs) console.log(`| ${name} | ${median(wall).toFixed(1)} |`);
  console.log(`\nmemory after every module was read: ${(await memory()).toFixed(0)} MiB`);
  const starts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // A warm Wine, and another state directory: one service for each.
    const directory = `SERVICE_STATE_DIR='C:\\s${round}' SERVICE_CONFIG_DIR='C:\\s${round}'`;
    const script = `(${directory} wine hostler.exe serve --port 0 > /tmp/s${round}.txt 2>&1 &); from=$(date +%s%3N); while ! grep -q listening /tmp/s${round}.txt 2>/dev/null; do sleep 0.02; done; echo "took $(( $(date +%s%3N) - from ))"`;
    starts.push(Number(/took (\d+)/.exec(await hostler.beside(script))?.[1]));
  }
  console.log(`start until it listens: ${median(starts)} ms (${Math.min(...starts)}-${Math.max(...starts)})`);
} finally {
  await hostler.stop();
}
process.exit(0);
