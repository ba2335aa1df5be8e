/** Pictures that differ in what an encoder does with them; each word alpha, red, green and blue, from the highest byte to the lowest. */
export interface WebpSample {
  name: string;
  width: number;
  height: number;
  hasAlpha: boolean;
  pixels: Int32Array;
}

/** As random as it is repeatable: up to, and without, `below`. */
type Chance = (below: number) => number;
type Paint = (x: number, y: number, before: (distance: number) => number) => number;

const colour = (chance: Chance) => (chance(256) << 16) | (chance(256) << 8) | chance(256);

const some = (count: number, chance: Chance) => {
  const colours = Array.from({ length: count }, () => colour(chance));
  return () => colours[chance(count)] ?? 0;
};

const paints: Record<string, (chance: Chance, width: number) => Paint> = {
  noise: (chance) => () => colour(chance),
  'one colour': (chance) => some(1, chance),
  'two colours': (chance) => some(2, chance),
  'four colours': (chance) => some(4, chance),
  'sixteen colours': (chance) => some(16, chance),
  'seventeen colours': (chance) => some(17, chance),
  '256 colours': (chance) => some(256, chance),
  'more colours than a palette holds': (chance) => some(400, chance),
  'a gradient': () => (x, y) => ((x & 255) << 16) | (((x + y) & 255) << 8) | ((y * 3) & 255),
  'a photograph': (chance) => (x, y) => {
    const grey = Math.floor(128 + 60 * Math.sin(x / 30) + 60 * Math.cos(y / 20)) + chance(5);
    return (grey << 16) | ((grey + chance(3)) << 8) | (grey - chance(3));
  },
  'plain areas': (chance) => (_x, _y, before) => (chance(300) > 0 ? before(1) : colour(chance)),
  'rows that repeat': (chance, width) => (_x, _y, before) => (chance(40) > 0 ? before(width * 2 - 1) : colour(chance)),
  'copies from near and far': (chance) => (_x, _y, before) =>
    chance(6) > 0 ? before(1 + chance(chance(2) === 0 ? 200 : 20_000)) : colour(chance),
};

const sizes: [number, number][] = [
  [1, 1],
  [2, 1],
  [1, 2],
  [3, 3],
  [7, 5],
  [1, 300],
  [300, 1],
  [64, 64],
  [65, 63],
  [131, 77],
  [257, 130],
];
const extremes: [number, number][] = [
  [16_383, 2],
  [2, 16_383],
];

export function webpSamples(): WebpSample[] {
  const makeOne = (name: string, [width, height]: [number, number], hasAlpha: boolean): WebpSample => {
    let state = width * 7919 + height * 31 + name.length;
    const chance: Chance = (below) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return (state >>> 8) % below;
    };
    const pixels = new Int32Array(width * height);
    const paint = paints[name]?.(chance, width) ?? (() => 0);
    for (let at = 0; at < pixels.length; at += 1) {
      const before = (distance: number) => pixels[at - distance] ?? colour(chance);
      const painted = paint(at % width, Math.floor(at / width), before);
      // Some that are seen through, and some that are not seen at all but have a colour.
      const alpha = hasAlpha ? ([0, 255, painted & 255][chance(3)] ?? 0) : 255;
      pixels[at] = (painted & 0xff_ffff) | (alpha << 24);
    }
    return { name: hasAlpha ? `${name}, seen through,` : name, width, height, hasAlpha, pixels };
  };
  return Object.keys(paints).flatMap((name, index) => [
    ...sizes.flatMap((size) => [false, true].map((hasAlpha) => makeOne(name, size, hasAlpha))),
    makeOne(name, extremes[index % 2] ?? [1, 1], false),
  ]);
}
