import type { TrayIcon } from '../tray.contract.ts';

/** Width, height and pixels, each as alpha, red, green and blue. */
export type TrayPicture = [number, number, Uint8Array];

/** The sizes panels commonly use; they scale the nearest. */
const sizes = [16, 22, 32, 48];
const tileGreen = [0x1f, 0x6f, 0x5c] as const;
const grey = [0x6b, 0x70, 0x76] as const;
const white = [0xff, 0xff, 0xff] as const;
const orange = [0xf0, 0x8c, 0x1e] as const;

/** Our icon (web/icon.svg) in its states, drawn, so that no file has to be found and decoded. */
export const trayPictures = (icon: TrayIcon): TrayPicture[] => sizes.map((size) => draw(size, layersOf[icon]));

type Colour = readonly [number, number, number];
/** The distance of a point from a shape, in a square of 32; negative: inside. */
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

const inWhite = (shape: Shape): Layer => ({ colour: white, shape });

const letter = [stroke(9, 8, 9, 24, 4), stroke(23, 8, 23, 24, 4), stroke(9, 16, 23, 16, 4)].map(inWhite);
const bars = [stroke(11.5, 10, 11.5, 22, 5), stroke(20.5, 10, 20.5, 22, 5)].map(inWhite);

const layersOf: Record<TrayIcon, readonly Layer[]> = {
  normal: [{ colour: tileGreen, shape: tile }, ...letter],
  paused: [{ colour: grey, shape: tile }, ...bars],
  attention: [
    { colour: tileGreen, shape: tile },
    ...letter,
    { colour: white, shape: disc(24, 8, 8) },
    { colour: orange, shape: disc(24, 8, 6.5) },
  ],
};

function draw(size: number, layers: readonly Layer[]): TrayPicture {
  const points = new Uint8Array(size * size * 4);
  const unit = 32 / size;
  for (let at = 0; at < size * size; at++) {
    const x = ((at % size) + 0.5) * unit;
    const y = (Math.floor(at / size) + 0.5) * unit;
    let [alpha, red, green, blue] = [0, 0, 0, 0];
    for (const { colour, shape } of layers) {
      // Edges are blurred over one pixel.
      const cover = Math.min(1, Math.max(0, 0.5 - shape(x, y) / unit));
      if (cover === 0) continue;
      const share = cover / (cover + alpha * (1 - cover));
      red += (colour[0] - red) * share;
      green += (colour[1] - green) * share;
      blue += (colour[2] - blue) * share;
      alpha += (1 - alpha) * cover;
    }
    points[at * 4] = Math.round(alpha * 255);
    points[at * 4 + 1] = Math.round(red);
    points[at * 4 + 2] = Math.round(green);
    points[at * 4 + 3] = Math.round(blue);
  }
  return [size, size, points];
}
