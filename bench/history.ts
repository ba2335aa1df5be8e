/** What recording costs: the service with it beside the service without it, then the file of a month and asking it. */
import fs from 'node:fs';
import path from 'node:path';
import { createDatabases } from '../src/host/database.ts';
import { printTable, verdict } from './harness/figures.ts';
import { availableForms, type Form, pause, startHostler, temporaryDirectory } from './harness/harness.ts';
import { cpuMs, resident, switchesBetween, voluntarySwitches } from './harness/process.ts';
import { makeMonth, readMonth } from './history/month.ts';
import { makeQuietMachine } from './history/quiet-machine.ts';

const seconds = Number(process.argv[2] ?? 60);
const rounds = Number(process.argv[3] ?? 3);
const only = process.argv[4];
/** The first sample loads what samples, and the runtime tidies up after the start. */
const settleSeconds = 45;
const goals = { cpuMs: 5, switches: 10, mebibytes: 3, megabytes: 20, queryMs: 20 };

const quiet = temporaryDirectory();
const stopQuiet = makeQuietMachine(quiet);
for (const form of availableForms().filter((each) => only === undefined || each === only)) {
  await idle(form, 'a machine that does nothing', { HOSTLER_PROC: quiet });
  await idle(form, 'this machine, as busy as it is', {});
}
stopQuiet();
await month();

async function idle(form: Form, machine: string, env: Record<string, string>): Promise<void> {
  const subjects = [await start(form, false, env), await start(form, true, env)];
  await pause(settleSeconds * 1000);
  const figures: { cpu: number; switches: number }[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const before = subjects.map(({ pid }) => ({ cpu: cpuMs(pid), switches: voluntarySwitches(pid) }));
    await pause(seconds * 1000);
    for (const [index, { pid }] of subjects.entries())
      figures[index]?.push({
        cpu: ((cpuMs(pid) - (before[index]?.cpu ?? 0)) * 60) / seconds,
        switches: (switchesBetween(before[index]?.switches ?? new Map(), voluntarySwitches(pid)) * 60) / seconds,
      });
  }
  const median = (index: number, pick: 'cpu' | 'switches') =>
    (figures[index] ?? []).map((figure) => figure[pick]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  const memory = subjects.map(({ pid }) => resident(pid));
  const [without, recording] = [memory[0], memory[1]];
  if (without === undefined || recording === undefined) return;
  const more = { cpu: median(1, 'cpu') - median(0, 'cpu'), switches: median(1, 'switches') - median(0, 'switches') };
  const moreMemory = recording.total - without.total;
  printTable(
    `${form}, ${machine}: 60 s without requests, median of ${rounds} times ${seconds} s`,
    ['', 'CPU ms', 'context switches', 'resident, MiB (own)'],
    [
      ['without history', median(0, 'cpu').toFixed(2), median(0, 'switches').toFixed(0), shown(without)],
      ['recording every 15 s', median(1, 'cpu').toFixed(2), median(1, 'switches').toFixed(0), shown(recording)],
      [
        'more',
        more.cpu.toFixed(2),
        more.switches.toFixed(0),
        `${moreMemory.toFixed(1)} (${(recording.own - without.own).toFixed(1)})`,
      ],
      ['goal', `≤ ${goals.cpuMs}`, `≤ ${goals.switches}`, `≤ ${goals.mebibytes}`],
      [
        'reached',
        verdict(more.cpu <= goals.cpuMs),
        verdict(more.switches <= goals.switches),
        verdict(moreMemory <= goals.mebibytes),
      ],
    ],
  );
  await ask(subjects[1]);
  const asked = subjects[1] === undefined ? recording : resident(subjects[1].pid);
  printTable(`${form}: after a request for the history`, ['', 'resident, MiB (own)'], [['recording', shown(asked)]]);
  for (const subject of subjects) await subject.stop();
}

function shown({ total, own }: { total: number; own: number }): string {
  return `${total.toFixed(1)} (${own.toFixed(1)})`;
}

async function start(form: Form, enabled: boolean, env: Record<string, string>) {
  const directory = temporaryDirectory();
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  // Both have a settings file: reading one costs memory as well.
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ history: { enabled } }));
  return await startHostler(form, { directory, env });
}

async function ask(subject: { port: number; token: string } | undefined): Promise<void> {
  if (subject === undefined) return;
  const headers = { 'X-API-Token': subject.token };
  await (await fetch(`http://127.0.0.1:${subject.port}/api/history?last=15m`, { headers })).text();
}

async function month(): Promise<void> {
  const rows: string[][] = [];
  for (const [machine, cores, devices] of [
    ['laptop: 8 cores, 2 disks, 3 interfaces', 8, 10],
    ['server: 128 cores, 40 disks', 128, 50],
  ] as const) {
    const file = path.join(temporaryDirectory(), 'history.db');
    const database = await createDatabases().open(file);
    const series = makeMonth(database, cores, devices);
    const took = readMonth(database, 'cpu');
    database.close();
    const megabytes = fs.statSync(file).size / 1e6;
    rows.push([
      machine,
      String(series),
      megabytes.toFixed(1),
      verdict(megabytes <= goals.megabytes),
      took.toFixed(1),
      verdict(took <= goals.queryMs),
    ]);
  }
  printTable(
    '30 days in steps of five minutes, the last one in samples of 15 s',
    [
      '',
      'series',
      `file, MB (≤ ${goals.megabytes})`,
      'reached',
      `a month of one series, ms (≤ ${goals.queryMs})`,
      'reached',
    ],
    rows,
  );
}
