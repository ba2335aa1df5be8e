import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { historyOf } from '../state/history.ts';

interface ChartProps {
  /** Name of the history it shows. */
  history: string;
  lines: readonly string[];
  format(value: number | null | undefined): string;
  /** Fixed upper end, such as 100 for percentages. */
  max?: number;
  label: string;
}

const height = 132;
const shownSeconds = 900;

/** Lines over the last 15 minutes. Drawn on a canvas; the page itself does not change while values come in. */
export function Chart({ history, lines, format, max, label }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const source = historyOf(history, lines.length);

  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const create = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(lines, format, max, element.clientWidth), dataOf(source.data), element);
      setRange(plot.current);
    };
    create();
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', create);
    return () => {
      scheme.removeEventListener('change', create);
      resized.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);

  useSignalEffect(() => {
    source.version.value;
    if (plot.current === null || document.hidden) return;
    plot.current.setData(dataOf(source.data), false);
    setRange(plot.current);
  });

  return <div class="chart" ref={holder} role="img" aria-label={label} />;
}

/** By the clock of the browser, in 24 hours. */
function hourAndMinute(unixSeconds: number, withSeconds: unknown = false): string {
  const text = new Date(unixSeconds * 1000).toTimeString();
  return text.slice(0, withSeconds === true ? 8 : 5);
}

const dataOf = (data: (number | null)[][]) => data as unknown as uPlot.AlignedData;

function setRange(plot: uPlot): void {
  const now = Date.now() / 1000;
  plot.setScale('x', { min: now - shownSeconds, max: now });
}

function options(
  lines: readonly string[],
  format: ChartProps['format'],
  max: number | undefined,
  width: number,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const colors = [color('line-1'), color('line-2'), color('line-3')];
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
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    scales: {
      y: { range: (_plot, _least, most) => [0, max ?? Math.max(most * 1.1, 1)] },
    },
    axes: [
      { ...axis, space: 70, values: (_plot, times) => times.map(hourAndMinute) },
      { ...axis, size: 62, space: 30, values: (_plot, values) => values.map((value) => format(value)) },
    ],
    series: [
      { label: 'Time', value: (_plot, time) => (time === null ? '' : hourAndMinute(time, true)) },
      ...lines.map((label, index) => ({
        label,
        stroke: colors[index],
        width: 1.5,
        fill: index === 0 ? `${colors[0]}22` : undefined,
        spanGaps: false,
        points: { show: false },
        value: (_plot: uPlot, value: number | null) => format(value),
      })),
    ] as uPlot.Series[],
  };
}
