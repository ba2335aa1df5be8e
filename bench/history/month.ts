import type { SampleBlock } from '../../src/history/block.ts';
import { keptSamplesMs, keptStepsMs, openHistoryDatabase } from '../../src/history/database.ts';
import { createColumn, createGrid } from '../../src/history/grid.ts';
import { stepMs } from '../../src/history/steps.ts';
import type { Database } from '../../src/host/database.ts';

const now = Math.floor(Date.now() / stepMs) * stepMs;
const every = 15_000;

/** Records a month as the recorder would, block by block; how many series there are. */
export function makeMonth(database: Database, cores: number, devices: number): number {
  const history = openHistoryDatabase(database);
  const names = [
    'cpu',
    'memory',
    'swap',
    'load',
    'cpu.temperature',
    'cpu.power',
    'battery',
    'pressure.cpu',
    'pressure.memory',
    'pressure.io',
    'network.received',
    'network.sent',
    'disk.read',
    'disk.written',
    ...Array.from({ length: cores }, (_, core) => `cpu/${core}`),
    ...Array.from({ length: devices }, (_, device) => `disk.read/device${device}`),
  ];
  let blocks: SampleBlock[] = [];
  for (let start = now - keptStepsMs; start < now; start += stepMs) {
    blocks.push(blockAt(start, names));
    // As much as is taken in at once.
    if (blocks.length < 40) continue;
    history.takeIn(blocks);
    history.forget(start);
    blocks = [];
  }
  history.takeIn(blocks);
  history.forget(now);
  return names.length;
}

function blockAt(start: number, names: readonly string[]): SampleBlock {
  // Samples of what is forgotten at once need not be many.
  const samples = start < now - keptSamplesMs - stepMs * 50 ? 2 : stepMs / every;
  const at = Array.from({ length: samples }, (_, index) => start + index * every);
  const busiest = Array.from({ length: 9 }, (_, index) => ({
    pid: 1000 + Math.floor(Math.random() * 20_000),
    name: `program-${index}`,
    cpu: Math.random() * 100,
    memory: Math.floor(Math.random() * 1e9),
  }));
  return {
    id: Math.floor(Math.random() * 2 ** 52),
    every,
    at,
    series: Object.fromEntries(names.map((name) => [name, at.map(() => Math.random() * 100)])),
    processes: at.map(() => busiest),
    events:
      Math.random() < 0.05 ? [{ at: start, kind: 'session', text: 'anna on pts/3 from 192.0.2.7 logged in' }] : [],
  };
}

/** Milliseconds that a month of one series takes, the second time: the first reads the file from the disk. */
export function readMonth(database: Database, series: string): number {
  const history = openHistoryDatabase(database);
  const read = () => {
    const column = createColumn(createGrid(now - keptStepsMs, now, stepMs));
    history.steps(series, now - keptStepsMs, now, (begin, step) => column.add(begin, begin + stepMs, step));
    return [column.mean(), column.least(), column.most()];
  };
  read();
  const from = performance.now();
  read();
  return performance.now() - from;
}
