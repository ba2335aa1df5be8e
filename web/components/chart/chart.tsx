import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { History } from '../../state/history.ts';
import { pastMissing, shownHistory } from '../../state/history-range-data.ts';
import { moment, type Range, range, selectMoment } from '../../state/range.ts';
import { lookVersion } from '../../state/theme.ts';
import { momentOf } from '../../units.ts';
import { chartOptions } from './chart-options.ts';

interface ChartProps {
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
  const legend = useRef<HTMLUListElement>(null);
  const peak = useRef<HTMLButtonElement>(null);
  const plot = useRef<uPlot | null>(null);
  const drawnAt = useRef(0);
  const source = shownHistory(history);
  const names = source.names.value;
  const shown = range.value;
  const hasBand = source.band !== null;
  lookVersion.value;

  const explain = () => showValues(legend.current, source, plot.current?.cursor.idx ?? null, format, shown);

  useEffect(() => {
    const element = holder.current;
    // Without data the chart is not created, so that the page appears sooner.
    if (element === null || names.length === 0) return;
    const options = chartOptions({
      names,
      hasBand,
      format,
      range: shown,
      bottom: (lowest) => Math.min(floor, lowest),
      top: (most) => max ?? Math.max(most * 1.1, least),
      size: { width: element.clientWidth, height: element.clientHeight },
      moment: () => moment.peek(),
    });
    const made = new uPlot(
      { ...options, hooks: { ...options.hooks, setCursor: [explain] } },
      alignedOf(source),
      element,
    );
    plot.current = made;
    made.over.addEventListener('click', () => {
      const at = source.data[0]?.[made.cursor.idx ?? -1];
      if (at != null) selectMoment(at);
    });
    draw(made, source, shown);
    explain();
    showPeak(peak.current, source, format, shown);
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
  }, [names, source, shown, hasBand, lookVersion.value]);

  // Not useSignalEffect, which waits for the next frame: what it writes there makes the browser lay out the page a second time.
  useEffect(
    () =>
      effect(() => {
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
        showPeak(peak.current, source, format, shown);
      }),
    [history, source, shown, format],
  );

  useEffect(
    () =>
      effect(() => {
        moment.value;
        plot.current?.redraw(false);
      }),
    [],
  );

  return (
    <div class="chart">
      <div
        ref={holder}
        class={`plot ${size} ${names.length === 0 ? 'empty' : ''}`}
        role="img"
        aria-label={`${label} over ${shown.words}`}
      >
        {names.length === 0 && shown.refreshMs !== null && pastMissing.value ? (
          <p class="quiet">Nothing was recorded for {shown.words}.</p>
        ) : null}
      </div>
      <div class="under-chart">
        <ul class="legend" ref={legend}>
          {names.map((name, index) => (
            <li key={name} class={`line-${index + 1}`}>
              <span>{nameOf?.(name) ?? name}</span> <b />
            </li>
          ))}
          <li class="time">
            <b />
          </li>
        </ul>
        <button
          type="button"
          class="peak"
          ref={peak}
          hidden
          title="Show what was busy at this moment"
          onClick={({ currentTarget }) => selectMoment(Number(currentTarget.dataset.at))}
        >
          Peak
        </button>
      </div>
    </div>
  );
}

/** The value under the mouse, or the newest. Written directly to the DOM, because it changes with every movement and sample. */
function showValues(
  legend: HTMLUListElement | null,
  { data }: History,
  index: number | null,
  format: ChartProps['format'],
  { seconds }: Range,
): void {
  const [times = [], ...lines] = data;
  const texts = [
    // The current step may be empty.
    ...lines.map((line) => format(index === null ? line.findLast((value) => value !== null) : line[index])),
    index === null ? '' : momentOf(times[index] ?? 0, seconds <= 3600 ? 'second' : 'minute', seconds > 86_400),
  ];
  for (const [place, cell] of [...(legend?.querySelectorAll('b') ?? [])].entries()) write(cell, texts[place] ?? '');
}

function showPeak(
  button: HTMLButtonElement | null,
  { data, band }: History,
  format: ChartProps['format'],
  { seconds }: Range,
): void {
  if (button === null) return;
  const [times = [], ...means] = data;
  const lines = band === null ? means : [...means, band[1]];
  let most = 0;
  let place = -1;
  for (const line of lines)
    for (let at = 0; at < line.length; at++) {
      const value = line[at] ?? 0;
      if (value <= most) continue;
      most = value;
      place = at;
    }
  const at = times[place] ?? null;
  button.hidden = at === null;
  if (at === null) return;
  button.dataset.at = String(at);
  write(button, `Peak ${format(most)} at ${momentOf(at, 'minute', seconds > 86_400)}`);
}

function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The lines, and behind them the ends of the band. */
const alignedOf = ({ data, band }: History) => [...data, ...(band ?? [])] as unknown as uPlot.AlignedData;

function draw(plot: uPlot, source: History, { seconds, refreshMs }: Range): void {
  const now = Date.now() / 1000;
  const first = source.data[0]?.[0] ?? now;
  const min = refreshMs === null ? Math.max(now - seconds, Math.min(first, now - leastSeconds)) : now - seconds;
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
