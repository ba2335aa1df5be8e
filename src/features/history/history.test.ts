import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { ActionContext } from '../../core/action.ts';
import type { HistoryResult } from '../../core/readings/history.ts';
import { historyInputSchema } from './history.schema.ts';
import { historyGet, toQuery } from './history.ts';

const now = Date.UTC(2026, 0, 1);

test.each([
  [{}, { series: [], from: now - 3_600_000, to: now, step: null }],
  [{ last: '15m' }, { from: now - 900_000 }],
  [{ last: 60 }, { from: now - 60_000 }],
  [{ series: 'cpu*,'.repeat(800) }, { series: ['cpu*'] }],
  [
    { series: 'cpu, memory,', step: '30' },
    { series: ['cpu', 'memory'], step: 30 },
  ],
  [
    { series: ['cpu'], from: now - 5, to: now - 1 },
    { series: ['cpu'], from: now - 5, to: now - 1 },
  ],
  [{ to: '2025-12-31T00:00:00Z', last: '1h' }, { from: Date.UTC(2025, 11, 30, 23) }],
])('the input %j becomes a query', (input, expected) => {
  expect(toQuery(input, now)).toMatchObject(expected);
});

test.each([
  [{ last: 'a while' }, 'last must be'],
  [{ from: 'once' }, 'from must be'],
  [{ to: '99:99' }, 'to must be'],
  [
    { series: Array.from({ length: 65 }, (_, index) => `cpu/${index}`).join(',') },
    'series must name at most 64 series',
  ],
])('the invalid input %j is refused', (input, sentence) => {
  expect(() => toQuery(input, now)).toThrow(sentence);
});

test.each([
  [{ from: 0, to: 1e308, step: 1e308 }, ['to', 'step']],
  [{ from: 1e308 }, ['from']],
  [{ last: 1e308 }, ['last']],
])('numbers beyond any time are refused: %j', (input, fields) => {
  const issues = historyInputSchema.safeParse(input).error?.issues ?? [];
  expect(issues.map(({ path: [field] }) => field)).toEqual(fields);
});

test('the largest numbers are accepted', () => {
  const largest = { from: 0, to: 8.64e15, last: 8.64e12, step: 99_999_999 };
  expect(historyInputSchema.parse(largest)).toEqual(largest);
});

test('many queries of one caller run one after the other, interleaved with others, and only a few are queued', async () => {
  const host = fakeHost({});
  let reading = 0;
  let most = 0;
  let reads = 0;
  const singletons = new Map<unknown, unknown>();
  const context = {
    host,
    budgets,
    signal: new AbortController().signal,
    history: {
      async read() {
        reading++;
        reads++;
        most = Math.max(most, reading);
        await Promise.resolve();
        reading--;
        return {} as HistoryResult;
      },
      note() {},
    },
    keep: (make: (context: unknown) => unknown) => {
      if (!singletons.has(make)) singletons.set(make, make(context));
      return singletons.get(make);
    },
  };
  const ask = (tokenId: string, last: number) =>
    historyGet.run({ last }, { ...context, caller: { tokenId } } as unknown as ActionContext).then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    );
  const answers = Array.from({ length: budgets.caller.histories + 3 }, (_, at) => ask('a', at + 1));
  const other = ask('b', 1000);
  for (let tick = 0; tick < 50; tick++) await Promise.resolve();
  // Nothing was read yet: each query is queued.
  expect(reads).toBe(0);
  while (reads < budgets.caller.histories + 1) {
    host.clock.advance(1);
    for (let tick = 0; tick < 50; tick++) await Promise.resolve();
  }
  expect(await other).toBe('answered');
  expect((await Promise.all(answers)).filter((answer) => answer === 'rate_limited')).toHaveLength(3);
  expect(most).toBe(1);
});
