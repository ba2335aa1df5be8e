import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { chartEnd, shownHistory } from '../../state/history-range-data.ts';
import { range } from '../../state/range.ts';

const [width, height] = [120, 26];
/** Redrawn after it would have moved this far: less is not visible, and each redraw repaints the canvas. */
const leastPixels = 1;

/** The course of a few lines, without figures. `least`: the top of the scale is never below this. */
export function Sparkline({ history, least = 1, label }: { history: string; least?: number; label: string }) {
  const source = shownHistory(history);
  const drawn = useRef<{ source: unknown; end: number; perSecond: number; picture: JSX.Element } | null>(null);
  source.version.value;
  const [times = [], ...lines] = source.data;
  const end = chartEnd();
  const last = drawn.current;
  const isLive = range.value.refreshMs === null;
  if (isLive && last?.source === source && (end - last.end) * last.perSecond < leastPixels) return last.picture;
  const begin = Math.max(end - range.value.seconds, Math.min(times[0] ?? end, end - 60));
  const most = lines.reduce(
    (top, line) => line.reduce<number>((high, value) => Math.max(high, value ?? 0), top),
    least,
  );
  const picture = (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label} over ${range.value.words}`}
    >
      {lines.slice(0, 2).map((line, index) => (
        <path key={index} class={`line-${index + 1}`} d={pathOf(times, line, begin, end, most)} />
      ))}
    </svg>
  );
  drawn.current = { source, end, perSecond: width / (end - begin), picture };
  return picture;
}

function pathOf(times: (number | null)[], line: (number | null)[], begin: number, end: number, most: number): string {
  let text = '';
  let drawing = false;
  for (let at = 0; at < line.length; at++) {
    const [time, value] = [times[at] ?? 0, line[at]];
    if (value == null || time < begin) {
      drawing = false;
      continue;
    }
    const x = ((time - begin) / (end - begin)) * width;
    const y = height - 1 - (value / most) * (height - 2);
    text += `${drawing ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    drawing = true;
  }
  return text;
}
