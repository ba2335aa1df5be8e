import type uPlot from 'uplot';
import type { Range } from '../../state/range.ts';
import { colorOf } from '../../state/theme.ts';
import { momentOf } from '../../units.ts';

interface ChartShape {
  names: readonly string[];
  /** Two more lists follow the lines: least and most of the first one. */
  hasBand: boolean;
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

export function chartOptions({ names, hasBand, format, range, bottom, top, size, moment }: ChartShape): uPlot.Options {
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
    padding: [8, 12, 0, 0],
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
        ...(index === 0 && !hasBand ? { fill: `${colorOf('line-1')}${faint}` } : {}),
        spanGaps: false,
        points: { show: false },
      })),
      ...(hasBand ? [edge, edge] : []),
    ],
    ...(hasBand
      ? {
          bands: [
            { series: [names.length + 2, names.length + 1] as uPlot.Band.Bounds, fill: `${colorOf('line-1')}38` },
          ],
        }
      : {}),
    hooks: { draw: [(plot) => markMoment(plot, moment())] },
  };
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
