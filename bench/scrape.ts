/** CPU time and memory that a scrape of /metrics costs, beside node_exporter on the same machine in the same run. */
import { gunzipSync } from 'node:zlib';
import { median, printTable, ratio, spread, verdict } from './harness/figures.ts';
import { availableForms, pause, startHostler } from './harness/harness.ts';
import { cpuMs, resident } from './harness/process.ts';
import { startExporter } from './machine/peers.ts';

const rounds = Number(process.argv[2] ?? 9);
/** As Prometheus does; a payload read for the previous scrape is too old for the next, as with any real interval. */
const headers = {
  Accept:
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
  'Accept-Encoding': 'gzip',
};
const firstScrapes = 20;
const warmUps = Number(process.argv[3] ?? 480);
const scrapesInRound = 12;
const betweenMs = 300;

interface Subject {
  name: string;
  pid: number;
  url: string;
  headers: Record<string, string>;
  /** ms, mean. */
  first: number;
  costs: number[];
}

const exporter = await startExporter();
if (exporter === null) process.exit(1);
const forms = await Promise.all(availableForms().map((form) => startHostler(form)));
const subjects: Subject[] = [
  { name: exporter.name, pid: exporter.pid, url: exporter.url, headers, first: 0, costs: [] },
  ...forms.map(({ name, pid, port, token }) => ({
    name,
    pid,
    url: `http://127.0.0.1:${port}/metrics`,
    headers: { ...headers, Authorization: `Bearer ${token}` },
    first: 0,
    costs: [],
  })),
];

// What a service costs that was started just now; node_exporter has been compiled long before.
for (const subject of subjects) subject.first = await costOf(subject, firstScrapes);
// As many as in two hours of a scrape every 15 s; not counted.
for (let each = 0; each < warmUps; each += 1) {
  for (const subject of subjects) await scrape(subject);
  await pause(betweenMs);
}
for (let round = 0; round < rounds; round += 1) {
  for (const subject of subjects) subject.costs.push(await costOf(subject, scrapesInRound));
}

const [floor = []] = subjects.map(({ costs }) => costs);
const rows: string[][] = [];
for (const subject of subjects) {
  const { text, bytes } = await scrape(subject);
  const times = ratio(subject.costs, floor);
  const isOurs = subject !== subjects[0];
  rows.push([
    subject.name,
    spread(subject.costs, 2),
    isOurs ? times.toFixed(2) : '1',
    isOurs ? '1' : '',
    isOurs ? verdict(times <= 1) : '',
    subject.first.toFixed(2),
    String(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length),
    `${(text.length / 1024).toFixed(0)}, ${(bytes / 1024).toFixed(0)} sent`,
    resident(subject.pid).total.toFixed(0),
  ]);
}
printTable(
  `CPU of a scrape in ms, ${rounds} rounds of ${scrapesInRound} in turn, one every ${betweenMs} ms, median (least-most)`,
  ['', 'ms a scrape', '× node_exporter', 'goal', 'reached', `the first ${firstScrapes}`, 'series', 'KiB', 'MiB in RAM'],
  rows,
);
for (const each of [exporter, ...forms]) await each.stop();
process.exit(median(floor) > 0 ? 0 : 1);

async function costOf(subject: Subject, scrapes: number): Promise<number> {
  const before = cpuMs(subject.pid);
  for (let each = 0; each < scrapes; each += 1) {
    await scrape(subject);
    await pause(betweenMs);
  }
  return (cpuMs(subject.pid) - before) / scrapes;
}

async function scrape({ url, headers }: Pick<Subject, 'url' | 'headers'>): Promise<{ text: string; bytes: number }> {
  const response = await fetch(url, { headers, decompress: false });
  const body = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  const text = response.headers.get('Content-Encoding') === 'gzip' ? gunzipSync(body) : body;
  return { text: new TextDecoder().decode(text), bytes: body.length };
}
