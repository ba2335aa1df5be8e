import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type History, historyOf, keptSeconds } from '../state/history.ts';

interface ChartProps {
  /** Name of the history it shows. */
  history: string;
  format(value: number | null | undefined): string;
  /** Fixed upper end, such as 100 for percentages. */
  max?: number;
  /** The upper end is never below this. */
  least?: number;
  label: string;
}

const height = 130;
/** Right after the start the first minute fills the width. */
const leastSeconds = 60;

/** Lines over the last 15 minutes. Drawn on a canvas; the page itself does not change while values come in. */
export function Chart({ history, format, max, least = 1, label }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const plot = useRef<uPlot | null>(null);
  const drawnAt = useRef(0);
  const source = historyOf(history);
  const names = source.names.value;

  useEffect(() => {
    const element = holder.current;
    // Nothing to draw yet: the page is there sooner without.
    if (element === null || names.length === 0) return;
    const explain = () => showValues(legend.current, source, plot.current?.cursor.idx ?? null, format);
    const create = () => {
      plot.current?.destroy();
      const options = optionsOf(names, format, (most) => max ?? Math.max(most * 1.1, least), element.clientWidth);
      plot.current = new uPlot({ ...options, hooks: { setCursor: [explain] } }, alignedOf(source), element);
      draw(plot.current, source);
      explain();
    };
    create();
    const resized = new ResizeObserver(() => {
      if (element.clientWidth !== plot.current?.width) plot.current?.setSize({ width: element.clientWidth, height });
    });
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', create);
    return () => {
      scheme.removeEventListener('change', create);
      resized.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [names]);

  useSignalEffect(() => {
    source.version.value;
    if (plot.current === null || document.hidden || plot.current.series.length !== source.data.length) return;
    const now = Date.now() / 1000;
    if (moved(plot.current, now - drawnAt.current) >= 0.5) {
      drawnAt.current = now;
      draw(plot.current, source);
    }
    showValues(legend.current, source, plot.current.cursor.idx ?? null, format);
  });

  return (
    <div class="chart">
      <div ref={holder} role="img" aria-label={label} />
      <ul class="legend" ref={legend}>
        {names.map((name, index) => (
          <li key={name} class={`line-${index + 1}`}>
            <span>{name}</span> <b />
          </li>
        ))}
        <li class="time">
          <b />
        </li>
      </ul>
    </div>
  );
}

/** Under the mouse, or the newest. Written straight into the text: it happens with every movement and every sample. */
function showValues(
  legend: HTMLUListElement | null,
  { data }: History,
  index: number | null,
  format: ChartProps['format'],
): void {
  const [times = []] = data;
  const at = index ?? times.length - 1;
  const texts = [
    ...data.slice(1).map((list) => format(list[at])),
    index === null ? '' : timeOfDay(times[at] ?? 0, true),
  ];
  legend?.querySelectorAll('b').forEach((cell, place) => {
    const text = texts[place] ?? '';
    if (cell.textContent !== text) cell.textContent = text;
  });
}

const alignedOf = ({ data }: History) => data as unknown as uPlot.AlignedData;

function draw(plot: uPlot, source: History): void {
  const now = Date.now() / 1000;
  const first = source.data[0]?.[0] ?? now;
  plot.batch(() => {
    plot.setData(alignedOf(source), false);
    plot.setScale('x', { min: Math.max(now - keptSeconds, Math.min(first, now - leastSeconds)), max: now });
  });
}

/** How far the lines would move to the left, pixels. A quarter of an hour on a phone moves by one in four seconds. */
function moved({ width, scales }: uPlot, seconds: number): number {
  const { min = 0, max = 0 } = scales.x ?? {};
  return (seconds * width) / Math.max(leastSeconds, (max ?? 0) - (min ?? 0));
}

/** By the clock of the browser, in 24 hours. */
function timeOfDay(unixSeconds: number, withSeconds: boolean): string {
  return new Date(unixSeconds * 1000).toTimeString().slice(0, withSeconds ? 8 : 5);
}

function optionsOf(
  names: readonly string[],
  format: ChartProps['format'],
  top: (most: number) => number,
  width: number,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: color('quiet'),
    grid: { stroke: color('rule'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width,
    height,
    pxAlign: 0,
    padding: [8, 16, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { size: 6 }, y: false },
    legend: { show: false },
    scales: { y: { range: (_plot, _least, most) => [0, top(most ?? 0)] } },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 5,
        space: 70,
        values: (_plot, times, _axis, _space, step) => times.map((time) => timeOfDay(time, step < 60)),
      },
      { ...axis, size: 58, gap: 4, space: 30, values: (_plot, values) => values.map((value) => format(value)) },
    ],
    series: [
      {},
      ...names.map((label, index) => ({
        label,
        stroke: color(`line-${index + 1}`),
        width: 1.5,
        // Two more digits of a colour: how dense it is.
        ...(index === 0 ? { fill: `${color('line-1')}22` } : {}),
        spanGaps: false,
        points: { show: false },
      })),
    ],
  };
}
