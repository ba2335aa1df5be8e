import { expect, test } from 'bun:test';
import { outline, table } from './text-table.ts';

const rows = [
  ['a', 'short', 'x'.repeat(60)],
  ['bb', 'y'.repeat(30), 'z'],
];

test('a table is as wide as its cells without a terminal', () => {
  expect(table(['ID', 'NAME', 'TEXT'], rows).split('\n')[1]).toBe(`a   short${' '.repeat(27)}${'x'.repeat(60)}`);
});

test.each([40, 60, 80, 200])('on a terminal of %d columns no line is longer, and cut cells are marked', (columns) => {
  const lines = table(['ID', 'NAME', 'TEXT'], rows, { columns }).split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  expect(lines[1]?.endsWith('…')).toBe(columns < 98);
  expect(lines[1]).toStartWith('a   short');
  expect(table(['ID', 'NAME', 'TEXT'], rows, { columns: 40, ascii: true })).toContain('x~');
});

test('lists inside a payload fit as well, with their indentation', () => {
  const text = outline({ list: [{ name: 'n'.repeat(90), size: 1 }] }, '', { columns: 50 });
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
});
