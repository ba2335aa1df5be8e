import type { ModulePayloads } from '@hostler/client/events.ts';
import { plain, table } from '../../lib/text-table.ts';
import { bytesInWords } from '../../lib/units.ts';

/** The data to show, as any client gets it. */
export type Shown = Pick<ModulePayloads, 'cpu' | 'memory' | 'networks' | 'processes'> & { atMs: number };

type ShownProcess = Shown['processes'][number];

const byCpu = (a: ShownProcess, b: ShownProcess) => b.cpu_usage - a.cpu_usage || memoryOf(b) - memoryOf(a);

/** By their keys. */
export const topOrders = {
  c: { label: 'CPU', compare: byCpu },
  m: { label: 'memory', compare: (a: ShownProcess, b: ShownProcess) => memoryOf(b) - memoryOf(a) || byCpu(a, b) },
  p: { label: 'PID', compare: (a: ShownProcess, b: ShownProcess) => a.id - b.id },
  n: { label: 'name', compare: (a: ShownProcess, b: ShownProcess) => a.name.localeCompare(b.name) || a.id - b.id },
} as const;
export type TopOrder = keyof typeof topOrders;

/** The keys, the one that the processes are sorted by in brackets. */
export const topHelp = (order: TopOrder): string =>
  `q quit   sort by ${Object.entries(topOrders)
    .map(([key, { label }]) => (key === order ? `[${key} ${label}]` : ` ${key} ${label} `))
    .join('')}`.trimEnd();

/** The machine on one screen, the busiest processes first. `before` is needed for the network rates. */
export function topLines(
  now: Shown,
  before: Shown | null,
  screen: { columns: number; rows: number },
  order: TopOrder = 'c',
): string[] {
  const { cpu, memory, processes } = now;
  const load = cpu.load_average === null ? '' : `   load ${cpu.load_average}`;
  const head = [
    `CPU     ${bar(cpu.usage)} ${percent(cpu.usage)}${load}`,
    `Memory  ${bar(memory.virtual.percent)} ${percent(memory.virtual.percent)}   ${size(memory.virtual.used)} of ${size(memory.virtual.total)}`,
    `Network ${ratesOf(now, before)}`,
    '',
  ];
  const room = Math.max(1, screen.rows - head.length - 1);
  const rows = processes
    .toSorted(topOrders[order].compare)
    .slice(0, room)
    .map(({ id, username, cpu_usage, memory_usage, name }) => [
      String(id).padStart(7),
      plain(username ?? '-'),
      percent(cpu_usage),
      percent(memory_usage),
      plain(name),
    ]);
  const lines = table(['    PID', 'USER', '   CPU', 'MEMORY', 'NAME'], rows, { columns: screen.columns });
  return [...head, ...lines.split('\n')].map((line) => line.slice(0, screen.columns));
}

const memoryOf = ({ memory_usage }: ShownProcess) => memory_usage ?? 0;

function ratesOf(now: Shown, before: Shown | null): string {
  const seconds = before === null ? 0 : (now.atMs - before.atMs) / 1000;
  const [io, earlier] = [now.networks.io, before?.networks.io ?? null];
  if (io === null || earlier === null || seconds <= 0) return '…';
  const rate = (later: number, sooner: number) => `${bytesInWords(Math.max(0, (later - sooner) / seconds))}/s`;
  return `in ${rate(io.bytes_recv, earlier.bytes_recv)}   out ${rate(io.bytes_sent, earlier.bytes_sent)}`;
}

const width = 20;

function bar(share: number | null): string {
  const filled = Math.round((Math.min(100, Math.max(0, share ?? 0)) / 100) * width);
  return `[${'#'.repeat(filled)}${' '.repeat(width - filled)}]`;
}

const percent = (share: number | null) => (share === null ? '-' : `${share.toFixed(1)} %`).padStart(7);
const size = (bytes: number | null) => (bytes === null ? '-' : bytesInWords(bytes));
