import { expect, test } from 'bun:test';
import { toolContext } from '../../../test/harness/tool-context.ts';
import type { HistoryQuery, HistoryResult } from '../../core/readings/history.ts';
import { whatHappened } from './what-happened.ts';

const now = Date.UTC(2026, 0, 1);

async function ask(words: Record<string, unknown>, given: Partial<HistoryResult> = {}) {
  const queries: HistoryQuery[] = [];
  const { context } = toolContext({});
  const history = {
    async read(query: HistoryQuery): Promise<HistoryResult> {
      queries.push(query);
      const mean = Array.from({ length: 40 }, (_, index) => (index === 20 ? 100 : 10));
      const { from, to } = query;
      const peak = { at: from + 307_000, value: 100 };
      const series = [{ name: 'cpu', unit: 'percent' as const, description: '', mean, least: mean, most: mean, peak }];
      const none = { processes: [], programs: [], events: [] };
      return { from, to, step: 15, recording: true, series, ...none, names: ['cpu'], ...given };
    },
  };
  const input = (await whatHappened.input([])).parse(words);
  const output = await whatHappened.run(input, { ...context, history });
  expect((await whatHappened.output()).parse(output)).toEqual(output);
  return { output, queries };
}

test('one call returns the values around a time and the usual values', async () => {
  const at = new Date(now - 3_600_000).toISOString();
  const { output, queries } = await ask(
    { at, minutes: 10 },
    {
      processes: [{ pid: 7, name: 'make', cpu: 80, most_cpu: 100, memory: 5e8 }],
      events: [{ at: now - 3_600_000, kind: 'mount', text: '/mnt was mounted' }],
    },
  );
  expect(queries.map(({ from, to }) => to - from)).toEqual([600_000, 86_400_000]);
  expect(output.series[0]).toMatchObject({ name: 'cpu', mean: 12.3, least: 10, most: 100, usual: 12.3 });
  expect(output.series[0]?.most_at).toBe(new Date(now - 3_600_000 - 300_000 + 307_000).toISOString());
  expect(output.series[0]?.values.length).toBeLessThanOrEqual(12);
  expect(output.processes).toEqual([{ pid: 7, name: 'make', cpu: 80, most_cpu: 100, memory_mb: 500 }]);
  expect(output.events).toEqual([{ at, kind: 'mount', text: '/mnt was mounted' }]);
  expect(output).not.toHaveProperty('missing');
});

test('without a time the last minutes are returned', async () => {
  const { queries } = await ask({});
  expect(queries[0]).toMatchObject({ from: now - 600_000, to: now });
});

test('a time without recorded data is reported as such', async () => {
  expect((await ask({}, { series: [] })).output.missing).toContain('Nothing was recorded');
});

test('an invalid time is refused', async () => {
  await expect(ask({ at: 'yesterday' })).rejects.toThrow('at must be');
});

test('steps without data are null with a reason', async () => {
  const values = [null, 5, 5];
  const lists = { mean: values, least: values, most: values };
  const series = [{ name: 'cpu', unit: 'percent' as const, description: '', ...lists, peak: { at: now, value: 5 } }];
  const { why_null } = (await ask({}, { series })).output;
  expect(why_null).toEqual([
    { fields: ['series[].values'], reason: expect.stringContaining('Nothing was recorded in these steps') },
  ]);
  const none = (
    await ask({}, { series: series.map((one) => ({ ...one, mean: [null], least: [null], most: [null], peak: null })) })
  ).output;
  expect(none.why_null?.flatMap(({ fields }) => fields)).toEqual(
    ['mean', 'least', 'most', 'most_at', 'values', 'usual'].map((field) => `series[].${field}`),
  );
});

test('of many events the last are returned, with the number of earlier ones', async () => {
  const events = Array.from({ length: 50 }, (_, index) => ({ at: now + index, kind: 'mount', text: String(index) }));
  const { output } = await ask({}, { events });
  expect([output.events.length, output.events.at(-1)?.text, output.earlier_events]).toEqual([12, '49', 38]);
});
