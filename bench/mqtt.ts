/** What MQTT adds: a service without a broker, one whose modules are requested as often over HTTP, and one at a real broker, in the same minutes. */
import fs from 'node:fs';
import path from 'node:path';
import { openBroker } from '../test/real/harness/broker.ts';
import { printTable, verdict } from './harness/figures.ts';
import {
  availableForms,
  note,
  pause,
  type RunningHostler,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { enterNamespaces } from './harness/namespaces.ts';
import { cpuMs, resident } from './harness/process.ts';
import { fillWithProcesses } from './harness/subject.ts';

const seconds = Number(process.argv[2] ?? 120);
const settleSeconds = 60;
const askEverySeconds = 10;
const goals = { cpuMs: 20, mebibytes: 6 };

await enterNamespaces();
// As many as an ordinary desktop has.
await fillWithProcesses(200);
await using broker = await openBroker();
const [form = 'source'] = availableForms().toReversed();

const start = (mqtt: Record<string, unknown>): Promise<RunningHostler> => {
  const directory = temporaryDirectory();
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ mqtt }));
  return startHostler(form, { directory });
};

const off = await start({});
const asked = await start({});
const on = await start({ url: `mqtt://127.0.0.1:${broker.port}` });
const names = await readableModules(asked.port, asked.token);
const askAll = async () => {
  for (const name of names) {
    const answer = await fetch(`http://127.0.0.1:${asked.port}/api/data/${name}`, {
      headers: { 'X-API-Token': asked.token },
    });
    await answer.arrayBuffer();
  }
};
const asking = setInterval(() => void askAll().catch(() => {}), askEverySeconds * 1000);
await pause(settleSeconds * 1000);
const subjects = [
  ['no broker, no requests', off],
  [`no broker, all modules over HTTP every ${askEverySeconds} s`, asked],
  ['at a broker', on],
] as const;
const ask = async (path: string): Promise<unknown> =>
  await (await fetch(`http://127.0.0.1:${on.port}${path}`, { headers: { 'X-API-Token': on.token } })).json();
const costs = async () =>
  (await ask('/api/modules')) as { name: string; cost: { reads: number; total_cpu_ms: number } }[];
const costsBefore = await costs();
const before = subjects.map(([, { pid }]) => cpuMs(pid));
await pause(seconds * 1000);
const figures = subjects.map(([name, { pid }], index) => ({
  name,
  cpu: ((cpuMs(pid) - (before[index] ?? 0)) * 60) / seconds,
  memory: resident(pid),
}));
clearInterval(asking);
const [quiet, , loud] = figures;
printTable(
  `CPU of a minute and memory, ${form}, over ${seconds} s after ${settleSeconds} s`,
  ['', 'CPU ms a minute', 'resident MiB (own)'],
  figures.map(({ name, cpu, memory }) => [
    name,
    cpu.toFixed(1),
    `${memory.total.toFixed(1)} (${memory.own.toFixed(1)})`,
  ]),
);
const added = {
  cpuMs: (loud?.cpu ?? 0) - (quiet?.cpu ?? 0),
  mebibytes: (loud?.memory.total ?? 0) - (figures[1]?.memory.total ?? 0),
};
note(`Added CPU: ${added.cpuMs.toFixed(1)} ms a minute, goal ${goals.cpuMs}: ${verdict(added.cpuMs <= goals.cpuMs)}`);
note(
  `Added memory beside the same modules over HTTP: ${added.mebibytes.toFixed(1)} MiB, goal ${goals.mebibytes}: ${verdict(added.mebibytes <= goals.mebibytes)}`,
);
note(
  `Beside a service without requests, whose modules are not loaded: ${((loud?.memory.total ?? 0) - (quiet?.memory.total ?? 0)).toFixed(1)} MiB`,
);
const costsAfter = await costs();
printTable(
  'Reading modules, at a broker',
  ['', 'reads', 'CPU ms a minute'],
  costsAfter.map(({ name, cost }, index) => [
    name,
    String(cost.reads - (costsBefore[index]?.cost.reads ?? 0)),
    (((cost.total_cpu_ms - (costsBefore[index]?.cost.total_cpu_ms ?? 0)) * 60) / seconds).toFixed(2),
  ]),
);
note(JSON.stringify(await ask('/api/mqtt')));
for (const [, subject] of subjects) await subject.stop();
// The sleeping processes would keep this one alive.
await broker[Symbol.asyncDispose]();
process.exit();
