import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { isolated, peakOf, textAt } from '../web/components/chart/chart-text.ts';
import { chartAhead, setChartClock } from '../web/state/clock.ts';
import { chartsOf, highestOf, type Past, shortRecord, valuesAt } from '../web/state/past-charts.ts';
import { momentOf, rate } from '../web/units.ts';

const hour = 3_600_000;
const noon = Date.UTC(2026, 0, 10, 12);
const month = { seconds: 2_592_000 };

/** Three hours of two series in steps of an hour; the highest value is in the second one. */
const past: Past = {
  from: noon,
  to: noon + 3 * hour,
  step: 3600,
  recording: true,
  processes: [],
  programs: [],
  events: [],
  names: [],
  series: (
    [
      ['disk.read', [1e6, 2e6, null], 18.2e6, noon + 10 * 60_000],
      ['disk.written', [1e6, 3e6, null], 69.51e6, noon + 89 * 60_000],
    ] as const
  ).map(([name, mean, value, at]) => ({
    name,
    unit: 'bytes_per_second',
    description: '',
    mean: [...mean],
    least: [...mean],
    most: [18.2e6, value, null],
    peak: { at, value },
  })),
};

afterEach(() => {
  chartAhead.value = 0;
});

const diskOf = (aheadMs = 0, now = noon + 2.2 * hour) => {
  const chart = chartsOf(past, aheadMs, now).get('disk');
  if (chart === undefined) throw new Error('no chart');
  const lines = [...chart.lines.values()];
  const bands = lines.map(({ least, most }): [(number | null)[], (number | null)[]] => [least, most]);
  return {
    data: [chart.times, ...lines.map(({ mean }) => mean)],
    recorded: { step: chart.step, bands, compared: null, peak: highestOf(lines), since: null },
  };
};

describe('recorded charts', () => {
  test('a step is drawn in its middle, the current one not after now', () => {
    const [times] = diskOf().data;
    expect(times).toEqual([0.5, 1.5, 2.2].map((hours) => (noon + hours * hour) / 1000));
  });

  test('the peak is the highest of all lines, at its own time', () => {
    const at = (noon + 89 * 60_000) / 1000;
    expect(peakOf(diskOf(), rate, month)).toEqual({
      at,
      text: `Peak 69.5 MB/s at ${momentOf(at, 'minute', true)}`,
    });
  });

  test('with another clock in the browser the labels follow the browser, the moment the machine', () => {
    setChartClock(Date.now() + 2 * hour);
    const { at, text } = peakOf(diskOf(2 * hour, noon), rate, month) ?? { at: 0, text: '' };
    expect(at).toBe((noon + 89 * 60_000) / 1000);
    expect(text).toEndWith(momentOf(Math.round(at - 2 * 3600), 'minute'));
    expect(diskOf(2 * hour, noon + hour).data[0]?.[0]).toBe((noon - 1.5 * hour) / 1000);
  });

  test('a step that ends later than now is no difference between the clocks', () => {
    setChartClock(Date.now() - 30_000);
    expect(chartAhead.value).toBe(0);
  });

  test('means say which time they are the mean of', () => {
    const begin = (noon + hour) / 1000;
    expect(textAt(diskOf(), null, rate, month)).toEqual({
      values: ['2.00 MB/s', '3.00 MB/s'],
      time: `mean ${momentOf(begin, 'minute', true)}–${momentOf(begin + 3600, 'minute')}`,
    });
    expect(textAt(diskOf(), 0, rate, month).values).toEqual(['1.00 MB/s', '1.00 MB/s']);
    const now = (noon + 2 * hour) / 1000 + 100;
    const recorded = { step: 300, bands: [], compared: null, peak: null, since: now - 900 };
    try {
      setSystemTime(now * 1000);
      expect(textAt({ data: [[now - 1], [5]], recorded }, null, rate, month).time).toBe(
        `no data before ${momentOf(now - 900, 'minute')} · mean since ${momentOf(now - 100, 'minute')}`,
      );
    } finally {
      setSystemTime();
    }
  });

  test('live values are without a time, under the mouse with it', () => {
    const live = {
      data: [
        [100, 102],
        [1e6, 2e6],
        [3e6, null],
      ],
      recorded: null,
    };
    expect(textAt(live, null, rate, { seconds: 300 })).toEqual({ values: ['2.00 MB/s', '3.00 MB/s'], time: '' });
    expect(textAt(live, 0, rate, { seconds: 300 }).time).toBe(momentOf(100, 'second'));
    expect(peakOf(live, rate, { seconds: 300 })).toMatchObject({ at: 100, text: expect.stringContaining('3.00 MB/s') });
    expect(peakOf({ data: [[]], recorded: null }, rate, month)).toBeNull();
  });

  test('a record shorter than a quarter of the range has a beginning', () => {
    const record = (known: number) => ({
      ...past,
      series: past.series.map((series) => ({
        ...series,
        mean: Array.from({ length: 100 }, (_, at) => (at < 100 - known ? null : 1)),
      })),
    });
    expect(shortRecord(record(2))).toBe(noon + 98 * hour);
    expect(shortRecord(record(50))).toBeNull();
    expect(shortRecord(record(0))).toBeNull();
    expect(shortRecord({ ...past, series: [] })).toBeNull();
  });

  test('an earlier time is read at the times of the later one, also in longer steps', () => {
    const chart = chartsOf(past, 0, noon + 4 * hour).get('disk');
    if (chart === undefined) throw new Error('no chart');
    const times = [-0.1, 0, 0.5, 0.99, 1, 1.9, 2.5, 9].map((hours) => (noon + hours * hour) / 1000);
    expect(valuesAt(chart, chart.lines.get('Written'), times)).toEqual([null, 1e6, 1e6, 1e6, 3e6, 3e6, null, null]);
    expect(valuesAt(chart, undefined, [noon / 1000])).toEqual([null]);
    const { recorded, data } = diskOf();
    const compared = {
      title: 'a day earlier',
      lines: [
        [null, 5e6, null],
        [null, null, null],
      ],
    };
    expect(textAt({ data, recorded: { ...recorded, compared } }, 1, rate, month).values).toEqual([
      '2.00 MB/s (5.00 MB/s)',
      '3.00 MB/s (–)',
    ]);
  });

  test('samples without neighbours are drawn as points', () => {
    expect(isolated([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(isolated([7])).toEqual([0]);
  });
});
