/** Memory in RAM after start, after every module was read, and after many requests. */

import { createPrivateBus } from '../test/real/harness/bus.ts';
import { findProgram } from '../test/real/harness/parts.ts';
import { connect, getRequest } from './harness/client.ts';
import { median, printTable, verdict } from './harness/figures.ts';
import { availableForms, note, pause, type Running, startBare, startHostler } from './harness/harness.ts';
import { readableModules } from './harness/names.ts';
import { type Resident, resident } from './harness/process.ts';

const rounds = Number(process.argv[2] ?? 3);
const requests = 10_000;
const settleMs = 1500;
const goals = [28, 40, 48];

type Stages = [Resident, Resident, Resident];

const forms = availableForms();
const bus = findProgram('dbus-daemon') === null ? null : createPrivateBus();
if (bus === null) note('dbus-daemon is not there: the figures are without a D-Bus connection.');
await bus?.start();
const env: Record<string, string> =
  bus === null ? {} : { DBUS_SYSTEM_BUS_ADDRESS: bus.address, DBUS_SESSION_BUS_ADDRESS: bus.address };

const figures = new Map<string, Stages[]>();
for (let round = 0; round < rounds; round += 1) {
  for (const form of forms) {
    keep(await measureBare(await startBare(form)));
    const hostler = await startHostler(form, { env });
    keep(await measureHostler(hostler, hostler.token));
  }
}
await bus?.remove();

printTable(
  `Resident memory in MiB (of it the process's own), medians of ${rounds} rounds${bus === null ? '' : ', with a D-Bus connection'}`,
  ['', 'after start', 'all modules answered', `after ${requests.toLocaleString('en')} requests`, 'goals', 'reached'],
  [...figures].map(([name, stages]) => {
    const medians = [0, 1, 2].map((stage) => ({
      total: median(stages.map((each) => each[stage]?.total ?? Number.NaN)),
      own: median(stages.map((each) => each[stage]?.own ?? Number.NaN)),
    }));
    const cells = medians.map(({ total, own }) => `${total.toFixed(1)} (${own.toFixed(1)})`);
    if (name.startsWith('bare')) return [name, cells[0] ?? '', '', cells[2] ?? '', '', ''];
    const reached = medians.map(({ total }, stage) => verdict(total <= (goals[stage] ?? 0)));
    return [name, ...cells, `≤ ${goals.join(' / ')}`, reached.join(' / ')];
  }),
);

function keep({ name, stages }: { name: string; stages: Stages }): void {
  figures.set(name, [...(figures.get(name) ?? []), stages]);
}

async function measureBare(running: Running): Promise<{ name: string; stages: Stages }> {
  const started = await settled(running, ['/']);
  await sendAll(running.port, [getRequest('/')]);
  const after = await settled(running, []);
  await running.stop();
  return { name: running.name, stages: [started, started, after] };
}

async function measureHostler(running: Running, token: string): Promise<{ name: string; stages: Stages }> {
  const headers = { 'X-API-Token': token };
  const started = await settled(running, ['/api/health']);
  const names = await readableModules(running.port, token);
  const routes = names.map((name) => getRequest(`/api/data/${name}`, headers));
  await sendAll(running.port, routes, routes.length);
  const answered = await settled(running, []);
  await sendAll(running.port, [...routes, getRequest('/api/health')]);
  const after = await settled(running, []);
  await running.stop();
  return { name: running.name, stages: [started, answered, after] };
}

async function settled({ port, pid }: Running, first: string[]): Promise<Resident> {
  for (const path of first) await sendAll(port, [getRequest(path)], 1);
  await pause(settleMs);
  return resident(pid);
}

/** In turns, over eight connections. */
async function sendAll(port: number, texts: string[], count = requests): Promise<void> {
  let sent = 0;
  const lane = async () => {
    const client = await connect(port);
    for (let mine = sent++; mine < count; mine = sent++) await client.ask(texts[mine % texts.length] ?? '');
    client.close();
  };
  await Promise.all(Array.from({ length: Math.min(8, count) }, lane));
}
