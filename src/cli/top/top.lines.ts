import type { ModulePayloads } from '@hostler/client/events.ts';
import { plain, table } from '../../lib/text-table.ts';
import { bytesInWords } from '../../lib/units.ts';

/** The data to show, as any client gets it. */
export type Shown = Pick<ModulePayloads, 'cpu' | 'memory' | 'networks' | 'processes'> & { atMs: number };

/** The machine on one screen, the busiest processes first. `before` is needed for the network rates. */
export function topLines(now: Shown, before: Shown | null, screen: { columns: number; rows: number }): string[] {
  const { cpu, memory, processes } = now;
  const load = cpu.load_average === null ? '' : `   load ${cpu.load_average}`;
  const head = [
    `CPU     ${bar(cpu.usage)} ${percent(cpu.usage)}${load}`,
    `Memory  ${bar(memory.virtual.percent)} ${percent(memory.virtual.percent)}   ${size(memory.virtual.used)} of ${size(memory.virtual.total)}`,
    `Network ${ratesOf(now, before)}`,
    '',
  ];
  const busiest = processes.toSorted(
    (a, b) => b.cpu_usage - a.cpu_usage || (b.memory_usage ?? 0) - (a.memory_usage ?? 0),
  );
  const room = Math.max(1, screen.rows - head.length - 1);
  const rows = busiest
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
