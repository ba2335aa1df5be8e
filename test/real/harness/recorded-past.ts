import fs from 'node:fs';
import path from 'node:path';
import type { SampleBlock } from '../../../src/history/block.ts';
import { keptSamplesMs, keptStepsMs, openHistoryDatabase } from '../../../src/history/database.ts';
import { stepMs } from '../../../src/history/steps.ts';
import { createDatabases } from '../../../src/host/database.ts';

export interface RecordedPast {
  interfaces?: readonly string[];
  disks?: readonly string[];
  temperatures?: readonly string[];
  /** Free bytes of file systems, now; 20 GB of each were used up three hours ago within five minutes. */
  fileSystems?: Record<string, number>;
  /** When a process was busy for ten minutes, Unix milliseconds: the peak of the last hours. */
  peak?: { at: number; name: string };
  /** One sample of a series with this value. */
  spike?: { at: number; series: string; value: number };
  /** Milliseconds before now, where the record is shorter than 30 days. */
  lastMs?: number;
  /** false: the machine never slept, for tests that compare with the same time of another day. */
  hasNights?: boolean;
}

const every = 15_000;
const filledAt = Date.now() - 3 * 3_600_000;
const day = 86_400_000;
/** The same numbers every time. */
const noise = (seed: number) => {
  const x = Math.sin(seed * 12.9898) * 43_758.5453;
  return x - Math.floor(x);
};

/** Writes 30 days of a machine that is used by day and sleeps at night, as the recorder would. Call it before the service starts. */
export async function recordPast(
  directory: string,
  {
    interfaces = [],
    disks = [],
    temperatures = [],
    fileSystems = {},
    peak,
    spike,
    lastMs = keptStepsMs,
    hasNights = true,
  }: RecordedPast,
) {
  const now = Date.now();
  const state = path.join(directory, 'state');
  fs.mkdirSync(state, { recursive: true, mode: 0o700 });
  const database = await createDatabases().open(path.join(state, 'history.db'));
  const history = openHistoryDatabase(database);
  const first = Math.ceil((now - lastMs) / stepMs) * stepMs;
  let blocks: SampleBlock[] = [];
  for (let start = first; start < now; start += stepMs) {
    if (hasNights && isNight(start)) continue;
    const samples = start < now - keptSamplesMs - stepMs * 50 ? 2 : stepMs / every;
    const at = Array.from({ length: samples }, (_, index) => start + index * every).filter((time) => time < now);
    const block = blockOf(start, at, {
      interfaces,
      disks,
      temperatures,
      fileSystems,
      ...(peak === undefined ? {} : { peak }),
    });
    const place = at.findIndex((time) => spike !== undefined && time >= spike.at && time < spike.at + every);
    const column = spike === undefined ? undefined : block.series[spike.series];
    if (spike !== undefined && column !== undefined && place !== -1) column[place] = spike.value;
    blocks.push(block);
    if (blocks.length < 40) continue;
    history.takeIn(blocks);
    history.forget(start);
    blocks = [];
  }
  history.takeIn(blocks);
  history.forget(now);
  database.close();
}

const hourOf = (time: number) => new Date(time).getHours() + new Date(time).getMinutes() / 60;
/** The last hours always exist, whenever the pictures are taken. */
const isNight = (time: number) => hourOf(time) >= 2 && hourOf(time) < 7 && time < Date.now() - 6 * 3_600_000;

function blockOf(
  start: number,
  at: number[],
  {
    interfaces,
    disks,
    temperatures,
    fileSystems,
    peak,
  }: Required<Omit<RecordedPast, 'peak' | 'spike' | 'lastMs' | 'hasNights'>> & RecordedPast,
): SampleBlock {
  const busy = (time: number) => {
    if (peak !== undefined && Math.abs(time - peak.at) < 300_000) return 96 + 3 * noise(time);
    const work = Math.max(0, Math.sin(((hourOf(time) - 8) / 12) * Math.PI));
    const burst = noise(Math.floor(time / 1_500_000)) > 0.86 ? 45 : 0;
    return Math.min(100, 3 + 22 * work * noise(time) + burst * (0.6 + 0.4 * noise(time + 1)));
  };
  const column = (of: (time: number) => number) => at.map(of);
  const rate = (seed: number, most: number) => (time: number) =>
    (busy(time) / 100) ** 2 * most * (0.4 + noise(time + seed));
  const warm = (index: number) => (time: number) =>
    34 + index * 4 + busy(time) * (0.3 - index * 0.04) + noise(time + index);
  const series: SampleBlock['series'] = {
    cpu: column(busy),
    memory: column((time) => 38 + 12 * Math.sin((time / day) * Math.PI * 2) + busy(time) / 8),
    load: column((time) => busy(time) / 40),
    'pressure.cpu': column((time) => busy(time) / 4),
    'pressure.memory': column(() => 0),
    'pressure.io': column((time) => busy(time) / 20),
    'network.received': column(rate(1, 9e6)),
    'network.sent': column(rate(2, 1.5e6)),
    'disk.read': column(rate(3, 4e7)),
    'disk.written': column(rate(4, 1.8e7)),
    'cpu.temperature': column(warm(3)),
  };
  for (const name of interfaces) {
    series[`network.received/${name}`] = column(rate(1, 9e6));
    series[`network.sent/${name}`] = column(rate(2, 1.5e6));
  }
  for (const name of disks) {
    series[`disk.read/${name}`] = column(rate(3, 4e7));
    series[`disk.written/${name}`] = column(rate(4, 1.8e7));
  }
  for (const [name, free] of Object.entries(fileSystems))
    series[`disk.free/${name}`] = column((time) => (time < filledAt ? free + 20e9 : free));
  for (const [index, key] of temperatures.entries()) series[`temperature/${key}`] = column(warm(index));
  const isPeak = peak !== undefined && Math.abs(start - peak.at) < 300_000;
  return {
    id: Math.floor(noise(start) * 2 ** 50),
    every,
    at,
    series,
    processes: at.map((time) => [
      ...(isPeak ? [{ pid: 8123, name: peak.name, cpu: 188 + 6 * noise(time), memory: 1.4e9 }] : []),
      { pid: 2210, name: 'firefox', cpu: busy(time) / 3, memory: 2.1e9 },
      { pid: 1834, name: 'gnome-shell', cpu: 2 + noise(time), memory: 4.2e8 },
      { pid: 3120, name: 'code', cpu: busy(time) / 6, memory: 9.1e8 },
    ]),
    events: eventsOf(start, peak !== undefined && peak.at >= start && peak.at < start + stepMs),
  };
}

function eventsOf(start: number, isPeak: boolean): SampleBlock['events'] {
  const hour = hourOf(start);
  const isAt = (wanted: number) => hour >= wanted && hour < wanted + 5 / 60;
  const event = (kind: string, text: string) => [{ at: start + 1000, kind, text }];
  return [
    ...(isAt(1.9) ? event('sleep', 'The machine went to sleep') : []),
    ...(isAt(7) ? event('wake', 'The machine woke up after 5 h') : []),
    ...(isAt(8.5) ? event('session', 'anna logged in on tty2') : []),
    ...(isAt(12.5) ? event('link', 'The network interface eth0 went down') : []),
    ...(isAt(12.6) ? event('link', 'The network interface eth0 came up') : []),
    ...(isAt(18) ? event('mount', '/dev/sdb1 was mounted at /media/anna/backup') : []),
    ...(isPeak ? event('agent', 'An agent ran the command Build the site') : []),
  ];
}
