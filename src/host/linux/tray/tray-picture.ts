import type { TrayIcon } from '../../tray.ts';

/** Width, height and its points, each as alpha, red, green and blue. */
export type TrayPicture = [number, number, Uint8Array];

/** What panels commonly ask for; they scale the nearest. */
const sizes = [16, 22, 32, 48];
const green = [0x1f, 0x6f, 0x5c] as const;
const grey = [0x6b, 0x70, 0x76] as const;
const white = [0xff, 0xff, 0xff] as const;
const orange = [0xf0, 0x8c, 0x1e] as const;

/** Our icon (web/icon.svg) in its states, drawn: no file has to be found and none decoded. */
export const trayPictures = (icon: TrayIcon): TrayPicture[] => sizes.map((size) => draw(size, layersOf[icon]));

type Colour = readonly [number, number, number];
/** How far a point is outside of a shape, in a square of 32; negative: inside. */
type Shape = (x: number, y: number) => number;
interface Layer {
  colour: Colour;
  shape: Shape;
}

const tile: Shape = (x, y) => {
  const radius = 7;
  const dx = Math.max(Math.abs(x - 16) - (16 - radius), 0);
  const dy = Math.max(Math.abs(y - 16) - (16 - radius), 0);
  return Math.hypot(dx, dy) - radius;
};

/** A line with round ends. */
const stroke =
  (x1: number, y1: number, x2: number, y2: number, width: number): Shape =>
  (x, y) => {
    const [dx, dy] = [x2 - x1, y2 - y1];
    const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)));
    return Math.hypot(x - x1 - along * dx, y - y1 - along * dy) - width / 2;
  };

const disc =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) - radius;

const letter: Layer[] = [stroke(9, 8, 9, 24, 4), stroke(23, 8, 23, 24, 4), stroke(9, 16, 23, 16, 4)].map((shape) => ({
  colour: white,
  shape,
}));
const bars: Layer[] = [stroke(11.5, 10, 11.5, 22, 5), stroke(20.5, 10, 20.5, 22, 5)].map((shape) => ({
  colour: white,
  shape,
}));

const layersOf: Record<TrayIcon, readonly Layer[]> = {
  normal: [{ colour: green, shape: tile }, ...letter],
  paused: [{ colour: grey, shape: tile }, ...bars],
  attention: [
    { colour: green, shape: tile },
    ...letter,
    { colour: white, shape: disc(24, 8, 8) },
    { colour: orange, shape: disc(24, 8, 6.5) },
  ],
};

function draw(size: number, layers: readonly Layer[]): TrayPicture {
  const points = new Uint8Array(size * size * 4);
  const unit = 32 / size;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const [alpha, colour] = blend(layers, (column + 0.5) * unit, (row + 0.5) * unit, unit);
      points.set([Math.round(alpha * 255), ...colour.map(Math.round)], (row * size + column) * 4);
    }
  }
  return [size, size, points];
}

/** Edges are as soft as one point is wide. */
function blend(layers: readonly Layer[], x: number, y: number, unit: number): [number, number[]] {
  let alpha = 0;
  let colour: number[] = [0, 0, 0];
  for (const layer of layers) {
    const cover = Math.min(1, Math.max(0, 0.5 - layer.shape(x, y) / unit));
    const sum = cover + alpha * (1 - cover);
    if (sum === 0) continue;
    colour = colour.map((under, at) => ((layer.colour[at] ?? 0) * cover + under * alpha * (1 - cover)) / sum);
    alpha = sum;
  }
  return [alpha, colour];
}
