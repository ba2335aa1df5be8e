import { toChartTime, toMachineTime } from '../../state/clock.ts';
import type { History } from '../../state/history.ts';
import { momentOf } from '../../units.ts';

type Format = (value: number | null | undefined) => string;
type Drawn = Pick<History, 'data' | 'recorded'>;
interface Seconds {
  seconds: number;
}

export interface ChartText {
  values: string[];
  /** The time they belong to; empty: now. */
  time: string;
}

/** The values at an index, or the newest. Means say which time they are the mean of. */
export function textAt({ data, recorded }: Drawn, index: number | null, format: Format, shown: Seconds): ChartText {
  const [times = [], ...lines] = data;
  // The current step may be empty.
  const place = index ?? times.findLastIndex((_, at) => lines.some((line) => line[at] != null));
  const earlier = recorded?.compared?.lines;
  const values = lines.map((line, at) => {
    const value = format(recorded === null && index === null ? line.findLast(isKnown) : line[place]);
    return earlier === undefined ? value : `${value} (${format(earlier[at]?.[place])})`;
  });
  const at = times[place];
  if (at == null) return { values, time: '' };
  if (recorded === null) return { values, time: index === null ? '' : momentOf(at, 'second') };
  const withDay = isOfDays(recorded, shown);
  const since = recorded.since === null ? '' : `no data before ${momentOf(recorded.since, 'minute', withDay)} · `;
  return { values, time: `${index === null ? since : ''}mean ${spanOf(at, recorded.step, withDay)}` };
}

const isKnown = (value: number | null) => value !== null;

const day = 86_400;

/** The time of day alone would not say which day. */
const isOfDays = (recorded: History['recorded'], { seconds }: Seconds) =>
  seconds > day && Date.now() / 1000 - (recorded?.since ?? 0) > day;

/** "10:05–10:10", or "since 10:05" while the step lasts. */
function spanOf(middle: number, step: number, withDay: boolean): string {
  const to = step < 60 ? 'second' : 'minute';
  // Steps begin at multiples of their length by the clock of the machine.
  const begin = toChartTime(Math.floor(toMachineTime(middle) / step) * step);
  const from = momentOf(begin, to, withDay);
  return begin + step > Date.now() / 1000 ? `since ${from}` : `${from}–${momentOf(begin + step, to)}`;
}

export interface ChartPeak {
  /** Unix seconds by the clock of the machine. */
  at: number;
  text: string;
}

/** The highest value of all lines; null: none above zero. */
export function peakOf({ data, recorded }: Drawn, format: Format, shown: Seconds): ChartPeak | null {
  const peak = recorded === null ? highestSample(data) : recorded.peak;
  if (peak === null) return null;
  const at = peak.at / 1000;
  return {
    at,
    text: `Peak ${format(peak.value)} at ${momentOf(toChartTime(at), 'minute', isOfDays(recorded, shown))}`,
  };
}

function highestSample([times = [], ...lines]: History['data']): { at: number; value: number } | null {
  let highest: { at: number; value: number } | null = null;
  for (const line of lines)
    for (let place = 0; place < line.length; place++) {
      const value = line[place] ?? 0;
      if (value > (highest?.value ?? 0)) highest = { at: toMachineTime(times[place] ?? 0) * 1000, value };
    }
  return highest;
}

/** Samples without neighbours, which no line can show. */
export function isolated(line: ArrayLike<number | null | undefined>): number[] {
  return Array.from(line).flatMap((value, at) =>
    value != null && line[at - 1] == null && line[at + 1] == null ? [at] : [],
  );
}
