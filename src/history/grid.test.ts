import { expect, test } from 'bun:test';
import { createColumn, createGrid, fittingStep } from './grid.ts';

const single = (value: number) => ({ count: 1, mean: value, least: value, most: value });

test('a grid begins at a multiple of its step and covers all of the time', () => {
  expect(createGrid(61_000, 119_000, 60_000)).toEqual({ from: 60_000, to: 120_000, stepMs: 60_000, length: 1 });
  expect(createGrid(59_000, 121_000, 60_000)).toMatchObject({ from: 0, to: 180_000, length: 3 });
});

test('several samples of a step are joined, and a step without any is a gap', () => {
  const column = createColumn(createGrid(0, 180_000, 60_000));
  column.add(0, 15_000, single(10));
  column.add(15_000, 30_000, single(30));
  column.add(120_000, 135_000, single(5));
  expect(column.mean()).toEqual([20, null, 5]);
  expect(column.least()).toEqual([10, null, 5]);
  expect(column.most()).toEqual([30, null, 5]);
});

test('sparse samples fill the grid, but not before they were recorded', () => {
  const column = createColumn(createGrid(0, 180_000, 15_000));
  column.add(60_000, 120_000, single(7));
  expect(column.mean()).toEqual([null, null, null, null, 7, 7, 7, 7, null, null, null, null]);
});

test('the peak is the first highest value inside the span, with its time', () => {
  const column = createColumn(createGrid(60_000, 180_000, 60_000));
  expect(column.peak()).toBeNull();
  column.add(0, 15_000, single(99), 15_000);
  column.add(60_000, 75_000, single(7), 75_000);
  column.add(120_000, 180_000, { count: 4, mean: 3, least: 1, most: 9.87654 });
  column.add(120_000, 180_000, { count: 4, mean: 3, least: 1, most: 9 });
  expect(column.peak()).toEqual({ begin: 120_000, end: 180_000, at: null, value: 9.877 });
});

test('samples outside the span are left out', () => {
  const column = createColumn(createGrid(60_000, 120_000, 60_000));
  column.add(-15_000, 0, single(1));
  column.add(500_000, 515_000, single(1));
  expect(column.mean()).toEqual([null]);
});

test.each([
  [15 * 60_000, 15],
  [3_600_000, 15],
  [24 * 3_600_000, 300],
  [7 * 24 * 3_600_000, 3600],
  [30 * 24 * 3_600_000, 14_400],
])('a span of %d ms gets a round step', (span, seconds) => {
  expect(fittingStep(span, 15_000)).toBe(seconds * 1000);
});
