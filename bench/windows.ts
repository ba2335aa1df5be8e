/**
 * The Windows build under Wine: start, milliseconds a module, memory, each beside those of a program of Wine that does nothing. `events MINUTES [PAUSE]`:
 * memory, CPU time and lost changes of the lock while Windows announces one after each pause (20 ms) to a service with a listener.
 */
import type { Memory } from '../src/features/memory/memory.schema.ts';
import type { Process } from '../src/features/processes/processes.schema.ts';
import { connectSocket, type Message } from '../test/real/harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../test/real/harness/wine.ts';
import { wineProgram } from '../test/real/harness/wine-standin.ts';

const [what, amount] =
  process.argv[2] === 'events' ? ['events', process.argv[3] ?? 60] : ['start', process.argv[2] ?? 5];
if (!needsWine()) process.exit(1);

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const spread = (values: number[]) => `${median(values)} (${Math.min(...values)}-${Math.max(...values)})`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface State {
  name: string;
  cost: { wall_ms: number } | null;
}

async function memoryOf(hostler: WineHostler, program: string): Promise<number> {
  const list = (await (await hostler.get('/api/data/processes')).json()) as Process[];
  const own = list.find(({ name }) => name === program);
  const { virtual } = (await (await hostler.get('/api/data/memory')).json()) as Memory;
  return (((own?.memory_usage ?? Number.NaN) / 100) * (virtual.total ?? Number.NaN)) / 2 ** 20;
}

async function measureModules(hostler: WineHostler, rounds: number): Promise<void> {
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
  await hostler.beside('(wine cmd.exe /c pause > /dev/null 2>&1 < /dev/zero &) ; sleep 2');
  const [own, empty] = [await memoryOf(hostler, 'hostler.exe'), await memoryOf(hostler, 'cmd.exe')];
  console.log(`\nMiB after every module was read: ${own.toFixed(0)}, of cmd.exe: ${empty.toFixed(0)}`);
}

/** In a warm Wine. */
async function measureStarts(hostler: WineHostler, rounds: number): Promise<void> {
  const [own, empty]: [number[], number[]] = [[], []];
  const milliseconds = async (script: string) =>
    Number(
      /took (\d+)/.exec(
        await hostler.beside(`from=$(date +%s%3N); ${script}; echo "took $(( $(date +%s%3N) - from ))"`),
      )?.[1],
    );
  for (let round = 0; round < rounds; round += 1) {
    // Another state directory: one service for each.
    const directory = `SERVICE_STATE_DIR='C:\\s${round}' SERVICE_CONFIG_DIR='C:\\s${round}'`;
    const start = `(${directory} wine hostler.exe serve --port 0 > /tmp/s${round}.txt 2>&1 &)`;
    own.push(
      await milliseconds(`${start}; while ! grep -q listening /tmp/s${round}.txt 2>/dev/null; do sleep 0.02; done`),
    );
    empty.push(await milliseconds('wine cmd.exe /c exit'));
  }
  console.log(`ms from start until it listens: ${spread(own)}; start and end of cmd.exe: ${spread(empty)}`);
}

async function measureEvents(hostler: WineHostler, minutes: number, pauseMs: number): Promise<void> {
  const client = await connectSocket(hostler);
  const [WM_WTSSESSION_CHANGE, LOCK] = [0x2b1, 7];
  await client.ask('REGISTER_DATA_LISTENER', { modules: ['session'] });
  const batch = Math.max(2, 2 * Math.floor(2500 / pauseMs));
  const since = performance.now();
  let sent = 0;
  for (let minute = 0; minute <= minutes; minute += 1) {
    while (performance.now() - since < minute * 60_000) {
      const send = `wine C:\\\\standins\\\\send-message.exe ${WM_WTSSESSION_CHANGE} ${LOCK} ${batch} ${pauseMs}`;
      sent += Number(/sent (\d+)/.exec(await hostler.beside(send))?.[1] ?? 0);
    }
    // The last event of each batch is the unlock.
    const { locked } = (await (await hostler.get('/api/data/session')).json()) as { locked: boolean | null };
    const memory = (await memoryOf(hostler, 'hostler.exe')).toFixed(1);
    const { pid, cpu } = await ownProcess(hostler);
    const received = `${lockChanges(client.messages)} changes received, locked ${locked}`;
    console.log(`minute ${minute}: ${sent} events, ${received}, ${memory} MiB, ${cpu} s of CPU, process ${pid}`);
  }
  client.end();
}

/** The first state is unlocked, as that at the end of each batch. */
function lockChanges(messages: Message[]): number {
  const states = messages
    .filter(({ type, module }) => type === 'DATA_UPDATE' && module === 'session')
    .map(({ data }) => (data as { locked: boolean | null }).locked === true);
  return states.filter((locked, index) => locked !== (states[index - 1] ?? false)).length;
}

/** As Linux counts it; a restarted service would be another process. */
async function ownProcess(hostler: WineHostler): Promise<{ pid: string; cpu: number }> {
  const stat = await hostler.beside("cat /proc/[0-9]*/stat 2>/dev/null | grep '(hostler.exe)'");
  const [pid = 'none', ...rest] = stat.trim().split(' ');
  const ticksPerSecond = 100;
  return { pid, cpu: (Number(rest[12]) + Number(rest[13])) / ticksPerSecond };
}

const hostler = await startWineHostler({
  mounts: [
    ...(wineProgram('send-message', ['user32']).mounts ?? []),
    // Allows windows without a display, which Wine refuses by default.
    `printf '\\n[Software\\\\\\\\Wine\\\\\\\\Drivers] 1700000000\\n"Graphics"="null"\\n' >> "$0/w/pfx/user.reg"`,
  ],
});
try {
  if (what === 'events') await measureEvents(hostler, Number(amount), Number(process.argv[4] ?? 20));
  else {
    await measureModules(hostler, Number(amount));
    await measureStarts(hostler, Number(amount));
  }
} finally {
  await hostler.stop();
}
process.exit(0);
