import { expect, test } from 'bun:test';
import { type Shown, topHelp, topLines } from './top.lines.ts';

const process = (id: number, name: string, cpu_usage: number) => ({
  id,
  name,
  cpu_usage,
  memory_usage: 1,
  username: 'me',
});
const shown = (atMs: number, received: number) =>
  ({
    atMs,
    cpu: { usage: 50, load_average: 0.5 },
    memory: { virtual: { percent: 25, used: 2 ** 30, total: 2 ** 32 } },
    networks: { io: { bytes_recv: received, bytes_sent: 0 } },
    processes: [process(1, 'quiet', 0), process(2, 'busy', 80), process(3, 'evil\u001b[2J', 10)],
  }) as unknown as Shown;

test('the busiest come first, rates are those between two reads, and names cannot control the terminal', () => {
  const lines = topLines(shown(3000, 4096), shown(1000, 0), { columns: 80, rows: 24 });
  expect(lines[0]).toBe('CPU     [##########          ]  50.0 %   load 0.5');
  expect(lines[1]).toBe('Memory  [#####               ]  25.0 %   1.00 GiB of 4.00 GiB');
  expect(lines[2]).toBe('Network in 2.00 KiB/s   out 0 B/s');
  expect(lines.slice(5).map((line) => line.trim().split(/\s+/)[0])).toEqual(['2', '3', '1']);
  expect(lines.join('')).not.toContain('\u001b');
});

test('the list fits the screen, and a rate without a previous read is an ellipsis', () => {
  const lines = topLines(shown(1000, 0), null, { columns: 30, rows: 7 });
  expect(lines).toHaveLength(7);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(30);
  expect(lines[2]).toBe('Network …');
});

test.each([
  ['c', ['2', '3', '1']],
  ['m', ['1', '2', '3']],
  ['p', ['1', '2', '3']],
  ['n', ['2', '3', '1']],
] as const)('the key %s sorts the processes, and the help marks it', (key, order) => {
  const now = shown(3000, 4096);
  const [quiet] = now.processes;
  if (quiet !== undefined) quiet.memory_usage = 9;
  const lines = topLines(now, null, { columns: 80, rows: 24 }, key);
  expect(lines.slice(5).map((line) => line.trim().split(/\s+/)[0])).toEqual([...order]);
  expect(topHelp(key)).toContain(`[${key} `);
});

test('the help fits 80 columns and names every key', () => {
  expect(topHelp('m')).toBe('q quit   sort by  c CPU [m memory] p PID  n name');
});
