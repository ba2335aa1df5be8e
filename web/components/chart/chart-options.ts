import type uPlot from 'uplot';
import type { Range } from '../../state/range.ts';
import { colorOf } from '../../state/theme.ts';
import { momentOf } from '../../units.ts';
import { isolated } from './chart-text.ts';

interface ChartShape {
  names: readonly string[];
  /** Two more lists for each line follow the lines: its least and most. */
  hasBands: boolean;
  /** A list for each line follows the lines: the values of an earlier time. */
  hasCompared: boolean;
  format(value: number | null | undefined): string;
  range: Range;
  /** Bounds of the scale for the lowest and highest visible value. */
  bottom(least: number): number;
  top(most: number): number;
  size: { width: number; height: number };
  /** The marked moment, Unix seconds. */
  moment(): number | null;
}

/** Alpha as two hexadecimal digits. */
const faint = '24';

export function chartOptions({
  names,
  hasBands,
  hasCompared,
  format,
  range,
  bottom,
  top,
  size,
  moment,
}: ChartShape): uPlot.Options {
  const axis = {
    stroke: colorOf('quiet'),
    grid: { stroke: colorOf('rule'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  const edge = { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: false };
  return {
    ...size,
    pxAlign: 0,
    // Half a label of the last tick fits beside the plot.
    padding: [8, 24, 0, 0],
    cursor: {
      drag: { x: false, y: false },
      points: { size: 7 },
      y: false,
      // One cursor over all charts, wherever the mouse is.
      sync: { key: 'all', scales: ['x', null] },
    },
    legend: { show: false },
    scales: { y: { range: (_plot, least, most) => [bottom(least ?? 0), top(most ?? 0)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        gap: 5,
        space: 72,
        values: (_plot, times, _axis, _space, step) =>
          times.map((time) =>
            step >= 86_400 || (range.seconds > 86_400 && isMidnight(time))
              ? momentOf(time, 'day')
              : momentOf(time, step < 60 ? 'second' : 'minute'),
          ),
      },
      { ...axis, size: 64, gap: 4, space: 34, values: (_plot, values) => values.map((value) => format(value)) },
    ],
    series: [
      {},
      ...names.map((label, index) => ({
        label,
        stroke: colorOf(`line-${index + 1}`),
        width: 1.5,
        ...(index === 0 && !hasBands ? { fill: `${colorOf('line-1')}${faint}` } : {}),
        spanGaps: false,
        points: {
          show: false,
          size: 4,
          width: 0,
          fill: colorOf(`line-${index + 1}`),
          filter: (plot: uPlot, line: number) => isolated(plot.data[line] ?? []),
        },
      })),
      ...(hasCompared ? names.map((_, index) => earlierLine(index)) : []),
      ...(hasBands ? names.flatMap(() => [edge, edge]) : []),
    ],
    bands: hasBands ? names.map((_, index) => bandOf(index, names.length * (hasCompared ? 2 : 1))) : [],
    hooks: { draw: [(plot) => markMoment(plot, moment())] },
  };
}

const earlierLine = (index: number): uPlot.Series => ({
  stroke: `${colorOf(`line-${index + 1}`)}80`,
  width: 1,
  dash: [5, 4],
  spanGaps: false,
  points: { show: false },
});

/** `lines`: how many lists precede the bands. */
function bandOf(index: number, lines: number): uPlot.Band {
  const least = lines + 1 + index * 2;
  return { series: [least + 1, least], fill: `${colorOf(`line-${index + 1}`)}${index === 0 ? '38' : faint}` };
}

const isMidnight = (time: number) => new Date(time * 1000).getHours() === 0;

function markMoment(plot: uPlot, at: number | null): void {
  const { min, max } = plot.scales.x ?? {};
  if (at === null || min == null || max == null || at < min || at > max) return;
  const { ctx, bbox } = plot;
  const x = Math.round(plot.valToPos(at, 'x', true));
  ctx.save();
  ctx.fillStyle = colorOf('second');
  ctx.fillRect(x - devicePixelRatio, bbox.top, 2 * devicePixelRatio, bbox.height);
  ctx.restore();
}
