/** CPU of two clients that poll the API of Glances, beside two that ask our own API for the same modules as often. */
import fs from 'node:fs';
import path from 'node:path';
import { glancesPlugins } from '../src/transports/glances/glances.ts';
import { median, printTable, ratio, spread, verdict } from './harness/figures.ts';
import { availableForms, pause, startHostler, temporaryDirectory } from './harness/harness.ts';
import { cpuMs, resident } from './harness/process.ts';

const rounds = Number(process.argv[2] ?? 5);
const everyMs = Number(process.argv[3] ?? 5000);
const pollsInRound = 6;
const warmUps = 60;

const modules = [...new Set([...glancesPlugins.values()].flatMap(({ needs }) => needs))];
const form = availableForms().at(-1) ?? 'source';
const subjects = await Promise.all(
  [
    { name: 'our modules', routes: modules.map((name) => `/api/data/${name}`) },
    { name: 'API of Glances', routes: ['/api/4/all'] },
  ].map(async (subject) => {
    const directory = temporaryDirectory();
    fs.mkdirSync(path.join(directory, 'config'), { mode: 0o700 });
    const settings = { glances: { enabled: true }, history: { enabled: false } };
    fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    return { ...subject, service: await startHostler(form, { directory }), costs: [] as number[] };
  }),
);

for (let poll = 0; poll < warmUps; poll += 1) await pollAll(300);
for (let round = 0; round < rounds; round += 1) {
  const before = subjects.map(({ service }) => cpuMs(service.pid));
  for (let poll = 0; poll < pollsInRound; poll += 1) await pollAll(everyMs / 2);
  for (const [index, { service, costs }] of subjects.entries())
    costs.push((cpuMs(service.pid) - (before[index] ?? 0)) / pollsInRound);
}

const [floor = []] = subjects.map(({ costs }) => costs);
printTable(
  `CPU of a poll of two clients in ms, ${form}, ${rounds} rounds of ${pollsInRound}, one every ${everyMs} ms, median (least-most)`,
  ['', 'ms', '×', 'goal', 'reached', 'MiB in RAM'],
  subjects.map(({ name, service, costs }) => {
    const times = ratio(costs, floor);
    const own = costs === floor ? ['1', '', ''] : [times.toFixed(2), '1.5', verdict(times <= 1.5)];
    return [name, spread(costs, 2), ...own, resident(service.pid).total.toFixed(0)];
  }),
);
for (const { service } of subjects) await service.stop();
process.exit(median(floor) > 0 ? 0 : 1);

/** The two clients of each subject, as far apart as they can be. */
async function pollAll(apartMs: number): Promise<void> {
  for (let client = 0; client < 2; client += 1) {
    await Promise.all(
      subjects.flatMap(({ routes, service: { port, token } }) =>
        routes.map(async (route) => {
          const response = await fetch(`http://127.0.0.1:${port}${route}`, { headers: { 'X-API-Token': token } });
          await response.arrayBuffer();
        }),
      ),
    );
    await pause(apartMs);
  }
}
