import { createPixelEstimate } from './webp.estimate.ts';

/** Each word a pixel: alpha, red, green and blue, from the highest byte to the lowest. */
export interface Palette {
  colours: Int32Array;
  /** Of pixels beside each other in one word, as a power of two. */
  bundleBits: number;
}

const mostColours = 256;

/** null: there are too many colours. */
export function paletteOf(pixels: Int32Array): Palette | null {
  const seen = new Set<number>();
  let last = ~(pixels[0] ?? 0);
  for (let at = 0; at < pixels.length; at += 1) {
    const pixel = pixels[at] ?? 0;
    if (pixel === last) continue;
    last = pixel;
    seen.add(pixel);
    if (seen.size > mostColours) return null;
  }
  const colours = Int32Array.from(seen).sort((a, b) => (a >>> 0) - (b >>> 0));
  const bundleBits = colours.length <= 2 ? 3 : colours.length <= 4 ? 2 : colours.length <= 16 ? 1 : 0;
  return { colours, bundleBits };
}

/** Numbers of colours instead of colours, several in a word where they are small. */
export function indexed(pixels: Int32Array, width: number, { colours, bundleBits }: Palette) {
  const numbers = new Map([...colours].map((colour, index) => [colour, index]));
  const height = pixels.length / width;
  const narrow = Math.ceil(width / 2 ** bundleBits);
  const bits = 8 >> bundleBits;
  const within = 2 ** bundleBits - 1;
  const result = new Int32Array(narrow * height).fill(opaque);
  let [last, number] = [~(pixels[0] ?? 0), 0];
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      const pixel = pixels[at] ?? 0;
      if (pixel !== last) number = numbers.get(pixel) ?? 0;
      last = pixel;
      const to = y * narrow + (x >> bundleBits);
      result[to] = (result[to] ?? 0) | (number << (8 + (x & within) * bits));
    }
  return { pixels: result, width: narrow };
}

/** Each colour as what it differs by from the one before. */
export function differences(colours: Int32Array): Int32Array {
  return colours.map((colour, index) => minus(colour, index === 0 ? 0 : (colours[index - 1] ?? 0)));
}

const opaque = 0xff00_0000 | 0;
const high = 0x8080_8080 | 0;

/** Each of four bytes without carrying into the next one. */
const minus = (a: number, b: number) => ((a | high) - (b & ~high)) ^ ((a ^ ~b) & high);
/** Likewise. */
const mean = (a: number, b: number) => (((a ^ b) & 0xfefe_fefe) >>> 1) + (a & b);

/** Red and blue are mostly as bright as green. In place. */
export function subtractGreen(pixels: Int32Array): void {
  for (let at = 0; at < pixels.length; at += 1) {
    const pixel = pixels[at] ?? 0;
    const green = (pixel >>> 8) & 0xff;
    pixels[at] = (pixel & (0xff00_ff00 | 0)) | ((pixel - (green << 16)) & 0xff_0000) | ((pixel - green) & 0xff);
  }
}

/** https://www.rfc-editor.org/rfc/rfc9649#section-3.5.1: those of its fourteen ways to guess a pixel that are tried. */
const modes = [1, 2, 7, 12] as const;

function guess(mode: number, left: number, above: number, corner: number): number {
  switch (mode) {
    case 1:
      return left;
    case 2:
      return above;
    case 7:
      return mean(left, above);
    default:
      return sloped(left, above, corner);
  }
}

/** left + above - corner, within what a byte holds. */
function sloped(left: number, above: number, corner: number): number {
  return (
    (within((left >>> 24) + (above >>> 24) - (corner >>> 24)) << 24) |
    (within(((left >>> 16) & 0xff) + ((above >>> 16) & 0xff) - ((corner >>> 16) & 0xff)) << 16) |
    (within(((left >>> 8) & 0xff) + ((above >>> 8) & 0xff) - ((corner >>> 8) & 0xff)) << 8) |
    within((left & 0xff) + (above & 0xff) - (corner & 0xff))
  );
}

const within = (value: number) => (value < 0 ? 0 : value > 255 ? 255 : value);

/** About how many bits a byte takes that is off by so much, in quarters. */
const costs = Uint8Array.from({ length: 256 }, (_, byte) => Math.round(4 * Math.log2(1 + Math.min(byte, 256 - byte))));
/** Of the colours: alpha is the same nearly everywhere. */
const costOf = (off: number) =>
  (costs[(off >>> 16) & 0xff] ?? 0) + (costs[(off >>> 8) & 0xff] ?? 0) + (costs[off & 0xff] ?? 0);

/** Of a side of a block, as a power of two. In smaller ones what repeats would often be guessed in another way, and be no copy. */
export const blockBits = 6;

export interface Guesses {
  /** Mode of each block, as a picture that has them in its green. */
  blocks: Int32Array;
  across: number;
}

/** Of so many rows one is looked at: that is enough to see what suits. */
const sampleEvery = 4;

/** Photographs and gradients take fewer bits as what differs from a guess, text and drawings as they are. */
export function isBetterGuessed(pixels: Int32Array, width: number): boolean {
  const [plain, guessed] = [createPixelEstimate(), createPixelEstimate()];
  for (let start = width; start < pixels.length; start += width * sampleEvery)
    for (let at = start + 1; at < start + width; at += 1) {
      const pixel = pixels[at] ?? 0;
      const left = pixels[at - 1] ?? 0;
      // These are copied either way.
      if (pixel === left || pixel === pixels[at - width]) continue;
      plain.add(pixel);
      guessed.add(minus(pixel, left));
    }
  return guessed.bits() < plain.bits();
}

/** The way to guess that is best in each block, as far as some of its pixels show. */
export function chooseGuesses(pixels: Int32Array, width: number): Guesses {
  const height = pixels.length / width;
  const side = 2 ** blockBits;
  const across = Math.ceil(width / side);
  const blocks = new Int32Array(across * Math.ceil(height / side));
  const sums = new Int32Array(modes.length);
  let best = 0;
  for (let block = 0; block < blocks.length; block += 1) {
    sums.fill(0);
    addCosts(pixels, width, { x: (block % across) * side, y: Math.floor(block / across) * side }, sums);
    for (let index = 0; index < modes.length; index += 1) if ((sums[index] ?? 0) < (sums[best] ?? 0)) best = index;
    blocks[block] = opaque | ((modes[best] ?? 0) << 8);
  }
  return { blocks, across };
}

function addCosts(pixels: Int32Array, width: number, start: { x: number; y: number }, sums: Int32Array): void {
  const endX = Math.min(width, start.x + 2 ** blockBits);
  const endY = Math.min(pixels.length / width, start.y + 2 ** blockBits);
  for (let y = start.y + 1; y < endY; y += sampleEvery)
    for (let x = Math.max(1, start.x), at = y * width + x; x < endX; x += 1, at += 1) {
      const pixel = pixels[at] ?? 0;
      const left = pixels[at - 1] ?? 0;
      const above = pixels[at - width] ?? 0;
      const corner = pixels[at - width - 1] ?? 0;
      if (pixel === left && pixel === above && pixel === corner) continue;
      for (let index = 0; index < modes.length; index += 1)
        sums[index] = (sums[index] ?? 0) + costOf(minus(pixel, guess(modes[index] ?? 0, left, above, corner)));
    }
}

/** What each pixel is off by. In place, from the end: a guess looks at what is before it only. */
export function applyGuesses(pixels: Int32Array, width: number, { blocks, across }: Guesses): void {
  for (let y = pixels.length / width - 1; y > 0; y -= 1) {
    const firstBlock = (y >> blockBits) * across;
    for (let x = width - 1, at = y * width + x; x > 0; x -= 1, at -= 1) {
      const pixel = pixels[at] ?? 0;
      const left = pixels[at - 1] ?? 0;
      const above = pixels[at - width] ?? 0;
      const corner = pixels[at - width - 1] ?? 0;
      // In a plain area each way is right.
      if (pixel === left && pixel === above && pixel === corner) pixels[at] = 0;
      else
        pixels[at] = minus(pixel, guess(((blocks[firstBlock + (x >> blockBits)] ?? 0) >> 8) & 15, left, above, corner));
    }
    // At the edges the format has one way only.
    pixels[y * width] = minus(pixels[y * width] ?? 0, pixels[(y - 1) * width] ?? 0);
  }
  for (let x = width - 1; x > 0; x -= 1) pixels[x] = minus(pixels[x] ?? 0, pixels[x - 1] ?? 0);
  pixels[0] = minus(pixels[0] ?? 0, opaque);
}
