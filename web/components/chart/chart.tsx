import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { toChartTime, toMachineTime } from '../../state/clock.ts';
import type { History } from '../../state/history.ts';
import { chartEnd, highestWithin, pastMissing, shownHistory } from '../../state/history-range-data.ts';
import { moment, type Range, range, rangeEnd, selectMoment } from '../../state/range.ts';
import { lookVersion } from '../../state/theme.ts';
import { chartOptions } from './chart-options.ts';
import { type ChartPeak, type ChartText, peakOf, textAt } from './chart-text.ts';

export interface ChartProps {
  /** Name of the history it shows. */
  history: string;
  format(value: number | null | undefined): string;
  /** Fixed upper end, such as 100 for percentages. */
  max?: number;
  /** The upper end is never below this. */
  least?: number;
  /** Lower end, where that is not zero. */
  floor?: number;
  /** Accessible label; the range is appended. */
  label: string;
  /** Label of a line; default: its name. */
  nameOf?(line: string): string;
  /** Height class of the style sheet. */
  size?: 'usual' | 'tall' | 'low';
}

/** After the start, the first minute fills the width. */
const leastSeconds = 60;
/** Redrawn after it would have moved this far: about every three seconds on a card. */
const leastPixels = 4;

/** Lines over time, live or recorded. Drawn on a canvas; the page itself does not change while values come in. */
export function Chart({ history, format, max, least = 1, floor = 0, label, nameOf, size = 'usual' }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const under = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const drawnAt = useRef(0);
  const source = shownHistory(history);
  const names = source.names.value;
  const shown = range.value;
  const hasBands = source.recorded !== null;
  const compared = source.recorded?.compared?.title ?? null;
  lookVersion.value;

  const explain = () => showValues(under.current, textAt(source, plot.current?.cursor.idx ?? null, format, shown));
  const showHighest = () => showPeak(under.current, peakOf(source, format, shown));

  useEffect(() => {
    const element = holder.current;
    // Without data the chart is not created, so that the page appears sooner.
    if (element === null || names.length === 0) return;
    const options = chartOptions({
      names,
      hasBands,
      hasCompared: compared !== null,
      format,
      range: shown,
      bottom: (lowest) => Math.min(floor, lowest),
      top: (most) => max ?? Math.max(most * 1.1, least),
      size: { width: element.clientWidth, height: element.clientHeight },
      moment: () => (moment.peek() === null ? null : toChartTime(moment.peek() ?? 0)),
    });
    const made = new uPlot(
      { ...options, hooks: { ...options.hooks, setCursor: [explain] } },
      alignedOf(source),
      element,
    );
    plot.current = made;
    made.over.addEventListener('click', () => {
      const at = source.data[0]?.[made.cursor.idx ?? -1];
      if (at != null) void selectAt(history, toMachineTime(at), source.recorded?.step ?? 0);
    });
    draw(made, source, shown);
    explain();
    showHighest();
    const resized = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width !== made.width || height !== made.height) made.setSize({ width, height });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [names, source, shown, hasBands, compared, lookVersion.value]);

  useEffectAtOnce(() => {
    // Read again, since another range has other samples.
    shownHistory(history).version.value;
    const made = plot.current;
    if (made === null || document.hidden || made.series.length !== alignedOf(source).length) return;
    const now = Date.now() / 1000;
    if (shown.refreshMs !== null || moved(made, now - drawnAt.current) >= leastPixels) {
      drawnAt.current = now;
      draw(made, source, shown);
    }
    explain();
    showHighest();
  }, [history, source, shown, format]);

  useEffectAtOnce(() => {
    moment.value;
    plot.current?.redraw(false);
  }, []);

  return (
    <div class="chart">
      <div
        ref={holder}
        class={`plot ${size} ${names.length === 0 ? 'empty' : ''}`}
        role="img"
        aria-label={`${label} over ${rangeEnd.value === null ? shown.words : 'a fixed time'}`}
      >
        {names.length === 0 && shown.refreshMs !== null && pastMissing.value ? (
          <p class="quiet">Nothing was recorded for {rangeEnd.value === null ? shown.words : 'this time'}.</p>
        ) : null}
      </div>
      <div class={shown.refreshMs === null ? 'under-chart' : 'under-chart recorded'} ref={under}>
        <ul class="legend">
          {names.map((name, index) => (
            <li key={name} class={`line-${index + 1}`}>
              <span>{nameOf?.(name) ?? name}</span> <b />
            </li>
          ))}
          {compared === null ? null : <li class="earlier">fainter: {compared}</li>}
        </ul>
        <div class="peak-row">
          <button
            type="button"
            class="peak"
            hidden
            title="Show what was busy at this moment"
            onClick={({ currentTarget }) => selectMoment(Number(currentTarget.dataset.at))}
          >
            Peak
          </button>
          <span class="time" />
        </div>
      </div>
    </div>
  );
}

/** useSignalEffect waits for the next frame: what it writes there makes the browser lay out the page a second time. */
const useEffectAtOnce = (work: () => void, on: readonly unknown[]) => useEffect(() => effect(work), on);

/** Written directly to the DOM, because it changes with every movement and sample. */
function showValues(under: HTMLDivElement | null, { values, time }: ChartText): void {
  for (const [place, cell] of [...(under?.querySelectorAll('.legend b') ?? [])].entries())
    write(cell, values[place] ?? '');
  const when = under?.querySelector('.time');
  if (when != null) write(when, time);
}

function showPeak(under: HTMLDivElement | null, peak: ChartPeak | null): void {
  const button = under?.querySelector<HTMLButtonElement>('.peak');
  if (button == null) return;
  button.hidden = peak === null;
  if (peak === null) return;
  button.dataset.at = String(peak.at);
  write(button, peak.text);
}

function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The lines, and behind them the ends of their bands. */
const alignedOf = ({ data, recorded }: History) =>
  [...data, ...(recorded?.compared?.lines ?? []), ...(recorded?.bands.flat() ?? [])] as unknown as uPlot.AlignedData;

/** In long steps the moment of interest is the highest one. */
const preciseSeconds = 60;

async function selectAt(history: string, at: number, step: number): Promise<void> {
  const begin = step > 0 ? Math.floor(at / step) * step : at;
  const highest = step > preciseSeconds ? await highestWithin(history, begin, begin + step) : null;
  selectMoment(highest ?? at);
}

function draw(plot: uPlot, source: History, { seconds }: Range): void {
  const now = chartEnd();
  const first = source.recorded?.since ?? source.data[0]?.[0] ?? now;
  const min = Math.max(now - seconds, Math.min(first, now - leastSeconds));
  plot.batch(() => {
    plot.setData(alignedOf(source), false);
    plot.setScale('x', { min, max: now });
  });
}

/** How far the lines would move to the left, pixels. */
function moved({ width, scales }: uPlot, seconds: number): number {
  const { min = 0, max = 0 } = scales.x ?? {};
  return (seconds * width) / Math.max(leastSeconds, (max ?? 0) - (min ?? 0));
}
