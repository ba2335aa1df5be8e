import { useEffect, useRef } from 'preact/hooks';

interface BarsProps {
  /** 0-100 each. */
  values: readonly (number | null)[];
  label: string;
}

const height = 44;

/** Many small bars, one for each core, on one canvas: 128 of them cost no more than one. */
export function Bars({ values, label }: BarsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const width = element.clientWidth;
    const density = devicePixelRatio;
    if (element.width !== width * density) {
      element.width = width * density;
      element.height = height * density;
    }
    const style = getComputedStyle(element);
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    const step = width / values.length;
    const gap = step > 6 ? 2 : step > 3 ? 1 : 0;
    context.fillStyle = style.getPropertyValue('--rule');
    for (let index = 0; index < values.length; index++) context.fillRect(index * step, 0, step - gap, height);
    context.fillStyle = style.getPropertyValue('--line-1');
    values.forEach((value, index) => {
      const tall = ((value ?? 0) / 100) * height;
      context.fillRect(index * step, height - tall, step - gap, tall);
    });
  });
  return <canvas class="bars" ref={canvas} role="img" aria-label={label} />;
}
