import { effect, signal } from '@preact/signals';
import { dataOf, follow } from './live.ts';

/** 15 minutes at one sample a second. */
const keptSeconds = 900;

/** Samples over time: first the times (Unix seconds), then one list for each line. */
export interface History {
  data: (number | null)[][];
  /** Changes with every sample. */
  version: { value: number };
}

const histories = new Map<string, History>();

export function historyOf(name: string, lines: number): History {
  const history = histories.get(name) ?? { data: [], version: signal(0) };
  histories.set(name, history);
  while (history.data.length < lines + 1) history.data.push(Array(history.data[0]?.length ?? 0).fill(null));
  return history;
}

function add(name: string, values: (number | null)[]): void {
  const history = historyOf(name, values.length);
  const now = Date.now() / 1000;
  const [times = []] = history.data;
  times.push(now);
  for (let line = 1; line < history.data.length; line++) history.data[line]?.push(values[line - 1] ?? null);
  let old = 0;
  while ((times[old] ?? now) < now - keptSeconds) old++;
  if (old > 0) for (const list of history.data) list.splice(0, old);
  history.version.value++;
}

/** A number that only grows, as what it grew by a second; null over a gap or a restart. */
function perSecond(): (count: number | undefined) => number | null {
  let last: { count: number; at: number } | null = null;
  return (count) => {
    const now = performance.now();
    const before = last;
    last = count === undefined ? null : { count, at: now };
    if (count === undefined || before === null || count < before.count || now - before.at > 30_000) return null;
    return ((count - before.count) * 1000) / (now - before.at);
  };
}

/** Follows what the charts show for as long as somebody is signed in, whichever view is open. Returns the way to stop. */
export function recordHistory(): () => void {
  const [received, sent, read, written] = [perSecond(), perSecond(), perSecond(), perSecond()];
  const stops = [
    ...(['cpu', 'memory', 'networks', 'disks', 'system'] as const).map(follow),
    effect(() => {
      const cpu = dataOf('cpu').value;
      if (cpu !== null) add('cpu', [cpu.usage]);
    }),
    effect(() => {
      const memory = dataOf('memory').value;
      if (memory !== null) add('memory', [memory.virtual?.percent ?? null, memory.swap?.percent ?? null]);
    }),
    effect(() => {
      const io = dataOf('networks').value?.io;
      if (io) add('network', [received(io.bytes_recv), sent(io.bytes_sent)]);
    }),
    effect(() => {
      const io = dataOf('disks').value?.io_counters;
      if (io) add('disk', [read(io.read_bytes), written(io.write_bytes)]);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
