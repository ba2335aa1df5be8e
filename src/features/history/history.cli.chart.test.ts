import { expect, test } from 'bun:test';
import { amount, chartOf, spread } from './history.cli.ts';

test('percentages fill the chart at 100, and a gap is an empty column', () => {
  const values = [0, 50, 100, null];
  const lines = chartOf({ mean: values, most: values, unit: 'percent' }, { width: 17, height: 2, ascii: false });
  expect(lines).toEqual(['100 % │     ███', '  0 % │▁▁▁█████']);
});

test('a chart with negative values has its base line at the lowest one', () => {
  const values = [-10, 0, 10];
  const lines = chartOf({ mean: values, most: values, unit: '°C' }, { width: 20, height: 2, ascii: false });
  expect(lines).toEqual([' 10 °C │        ████', '-10 °C │▁▁▁▁████████']);
});

test('a plain chart uses ASCII characters only', () => {
  const values = [0, 100];
  const lines = chartOf({ mean: values, most: values, unit: 'percent' }, { width: 17, height: 2, ascii: true });
  expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
});

test('values are joined or repeated to fit the width', () => {
  expect(spread([1, 3, null, 5], 2)).toEqual([2, 5]);
  expect(spread([1, 2], 4)).toEqual([1, 1, 2, 2]);
  expect(spread([], 2)).toEqual([null, null]);
});

test.each([
  [12.34, 'percent', '12 %'],
  [51.2, 'celsius', '51 °C'],
  [1_234_567, 'bytes_per_second', '1.23 MB/s'],
  [0, 'bytes', '0 B'],
  [999, 'bytes', '999 B'],
  [3.256, 'processes', '3.26'],
  [7.77, 'watts', '7.8 W'],
  [-3.5, 'mails', '-3.5 mails'],
  [12.3456, '', '12.35'],
  [1, '\x1b[2J', '1 \\u001b[2J'],
] as const)('the amount %d in the unit "%s" has a short form', (value, unit, text) => {
  expect(amount(value, unit)).toBe(text);
});
