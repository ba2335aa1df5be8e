import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { set } from '../../state/set.ts';
import { colorOf, lookVersion } from '../../state/theme.ts';
import { percent } from '../../units.ts';

interface CoreMapProps {
  /** 0-100 each. */
  values: readonly (number | null)[];
}

const columns = 150;

/** Heat of many cores over the last samples: one row each, the newest on the right. */
export function CoreMap({ values }: CoreMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const under = useSignal<number | null>(null);
  const rows = values.length;
  const past = useRef<Uint8ClampedArray | null>(null);
  const painted = useRef('');
  const version = lookVersion.value;
  // Before the frame, which would have to be made twice otherwise.
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context == null || rows === 0) return;
    if (past.current?.length !== rows * columns) past.current = new Uint8ClampedArray(rows * columns);
    const heat = past.current;
    for (let row = 0; row < rows; row++) {
      const start = row * columns;
      heat.copyWithin(start, start + 1, start + columns);
      heat[start + columns - 1] = Math.round(((values[row] ?? 0) / 100) * 255);
    }
    // Draws one column; everything only if the colours or the number of cores have changed.
    if (painted.current === `${version} ${rows}`) {
      context.drawImage(context.canvas, -1, 0);
      paint(context, heat, rows, columns - 1);
    } else {
      paint(context, heat, rows, 0);
    }
    painted.current = `${version} ${rows}`;
  }, [values, version]);
  const point = ({ currentTarget, offsetY }: MouseEvent & { currentTarget: HTMLCanvasElement }) =>
    set(under, Math.max(0, Math.min(rows - 1, Math.floor((offsetY / currentTarget.clientHeight) * rows))));
  const known = values.filter((value) => value !== null);
  const busy = known.filter((value) => value >= 50).length;
  const text =
    under.value === null
      ? `${rows} cores · ${busy} above 50 % · busiest ${percent(known.length === 0 ? null : Math.max(...known))}`
      : `Core ${under.value}: ${percent(values[under.value])}`;
  return (
    <>
      <canvas
        class="core-map"
        ref={canvas}
        width={columns}
        height={rows}
        role="img"
        aria-label={`Heat map of ${rows} cores`}
        onMouseMove={point}
        onMouseLeave={() => set(under, null)}
      />
      <p class="small">{text}</p>
    </>
  );
}

/** From this column to the newest. */
function paint(context: CanvasRenderingContext2D, heat: Uint8ClampedArray, rows: number, from: number): void {
  const width = columns - from;
  const image = context.createImageData(width, rows);
  const [cold, warm, hot] = ['sunken', 'line-1', 'line-2'].map((name) => channelsOf(colorOf(name)));
  if (cold === undefined || warm === undefined || hot === undefined) return;
  for (let at = 0; at < width * rows; at++) {
    const share = (heat[Math.floor(at / width) * columns + from + (at % width)] ?? 0) / 255;
    // The second half goes on to the warmer colour.
    const [begin, end, part] = share < 0.6 ? [cold, warm, share / 0.6] : [warm, hot, (share - 0.6) / 0.4];
    for (let channel = 0; channel < 3; channel++)
      image.data[at * 4 + channel] = (begin[channel] ?? 0) + ((end[channel] ?? 0) - (begin[channel] ?? 0)) * part;
    image.data[at * 4 + 3] = 255;
  }
  context.putImageData(image, from, 0);
}

/** #rrggbb, as the style sheet has them. */
const channelsOf = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
