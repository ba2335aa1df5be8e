import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useResized } from '../../components/use-resized.ts';
import { set } from '../../state/set.ts';
import { colorOf, lookVersion } from '../../state/theme.ts';
import { percent } from '../../units.ts';

interface BarsProps {
  /** 0-100 each. */
  values: readonly (number | null)[];
  label: string;
}

const height = 24;
/** Many small bars, one for each core, on one canvas: 128 of them cost no more than one. */
export function Bars({ values, label }: BarsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const under = useSignal<number | null>(null);
  const width = useSignal(0);
  // Drawn again when the colours change.
  lookVersion.value;
  useResized(canvas, ({ clientWidth }) => set(width, clientWidth));
  useEffect(() => {
    if (canvas.current !== null && width.value > 0) draw(canvas.current, values, width.value);
  });
  const point = ({ currentTarget, offsetX }: MouseEvent & { currentTarget: HTMLCanvasElement }) => {
    const index = Math.floor((offsetX / currentTarget.clientWidth) * values.length);
    under.value = Math.max(0, Math.min(values.length - 1, index));
  };
  const known = values.filter((value) => value !== null);
  const text =
    under.value === null
      ? `${values.length} cores, the busiest ${percent(known.length === 0 ? null : Math.max(...known))}`
      : `Core ${under.value}: ${percent(values[under.value])}`;
  return (
    <>
      <canvas
        class="bars"
        ref={canvas}
        role="img"
        aria-label={label}
        onMouseMove={point}
        onMouseLeave={() => set(under, null)}
      />
      <p class="small">{text}</p>
    </>
  );
}

function draw(element: HTMLCanvasElement, values: readonly (number | null)[], width: number): void {
  const context = element.getContext('2d');
  if (context === null) return;
  const density = devicePixelRatio;
  if (element.width !== Math.round(width * density)) {
    element.width = Math.round(width * density);
    element.height = height * density;
  }
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  const step = width / values.length;
  const gap = step > 6 ? 2 : step > 3 ? 1 : 0;
  context.fillStyle = colorOf('sunken');
  for (let index = 0; index < values.length; index++) context.fillRect(index * step, 0, step - gap, height);
  context.fillStyle = colorOf('line-1');
  values.forEach((value, index) => {
    const tall = ((value ?? 0) / 100) * height;
    context.fillRect(index * step, height - tall, step - gap, tall);
  });
}
