import { expect, test } from 'bun:test';
import { toQuestion } from './history.ts';

const now = Date.UTC(2026, 0, 1);

test.each([
  [{}, { series: [], from: now - 3_600_000, to: now, step: null }],
  [{ last: '15m' }, { from: now - 900_000 }],
  [{ last: 60 }, { from: now - 60_000 }],
  [
    { series: 'cpu, memory,', step: '30' },
    { series: ['cpu', 'memory'], step: 30 },
  ],
  [
    { series: ['cpu'], from: now - 5, to: now - 1 },
    { series: ['cpu'], from: now - 5, to: now - 1 },
  ],
  [{ to: '2025-12-31T00:00:00Z', last: '1h' }, { from: Date.UTC(2025, 11, 30, 23) }],
])('%j', (input, expected) => {
  expect(toQuestion(input, now)).toMatchObject(expected);
});

test.each([
  [{ last: 'a while' }, 'last must be'],
  [{ from: 'once' }, 'from must be'],
  [{ to: '99:99' }, 'to must be'],
])('%j is refused', (input, sentence) => {
  expect(() => toQuestion(input, now)).toThrow(sentence);
});
