import { createPixelEstimate } from './webp.estimate.ts';

/**
 * What of a picture is a copy of something before it, in reading order: three numbers each, how many pixels come before it as they are, how
 * many are copied, and from how far back.
 */
export interface Copies {
  numbers: Int32Array;
  /** Of copies. */
  count: number;
}

const mostLength = 4096;
/** So far back can be said with the longest number that the format has. */
const farthest = 2 ** 20 - 120;
const hashBits = 18;
const ringMask = 2 ** 20 - 1;
/** More tries make it hardly smaller, and much later. */
const mostTries = 12;
/** Long enough to look no further. */
const enough = 96;
/** Pixels without a copy, after which it is looked for at every fourth only: a photograph has none. */
const patience = 8;
/** A copy from near costs about as much as so many pixels. */
const leastLength = 3;
/** Bits of a copy from far away. */
const farBits = 34;

/** Places where the same pixels begin, each with the one before it. */
interface Chains {
  pixels: Int32Array;
  /** So many pixels are the same. */
  least: number;
  heads: Int32Array;
  before: Int32Array;
}

/** What is to the left and above is tried first, and then what is anywhere before. */
export function findCopies(pixels: Int32Array, width: number): Copies {
  const { length } = pixels;
  const chains = chainsFor(pixels);
  let numbers = new Int32Array(3 * 1024);
  let count = 0;
  let copiedUntil = 0;
  for (let at = 0; at < length; ) {
    let best = at > 0 ? alike(pixels, at, at - 1) : 0;
    let distance = 1;
    if (at >= width && best < enough) {
      const found = alike(pixels, at, at - width);
      if (found > best) {
        best = found;
        distance = width;
      }
    }
    if (best < enough && (at - copiedUntil < patience || (at & 3) === 0)) {
      const from = farCopy(chains, at, best);
      if (from >= 0) {
        best = alike(pixels, at, from);
        distance = at - from;
      }
    }
    const end = best < leastLength ? at + 1 : at + best;
    remember(chains, at, end);
    if (best >= leastLength) {
      if (count * 3 === numbers.length) numbers = doubled(numbers);
      numbers[count * 3] = at - copiedUntil;
      numbers[count * 3 + 1] = best;
      numbers[count * 3 + 2] = distance;
      count += 1;
      copiedUntil = end;
    }
    at = end;
  }
  return { numbers, count };
}

function chainsFor(pixels: Int32Array): Chains {
  return {
    pixels,
    least: Math.min(8, Math.max(3, Math.ceil(farBits / pixelBits(pixels)))),
    heads: new Int32Array(2 ** hashBits).fill(-1),
    before: new Int32Array(Math.min(ringMask + 1, pixels.length)),
  };
}

/** Where the longest one begins that is worth more than what is near; -1: nowhere. */
function farCopy({ pixels, least, heads, before }: Chains, at: number, near: number): number {
  if (at + least > pixels.length) return -1;
  // It costs more to say.
  let best = Math.max(least - 1, near + 1);
  let found = -1;
  let from = heads[hashAt(pixels, at, least)] ?? -1;
  for (let tries = 0; tries < mostTries && from >= 0 && at - from <= farthest; tries += 1) {
    if (pixels[from + best] === pixels[at + best] && pixels[from] === pixels[at]) {
      const length = alike(pixels, at, from);
      if (length > best) {
        best = length;
        found = from;
        if (length >= enough) break;
      }
    }
    from = before[from & ringMask] ?? -1;
  }
  return found;
}

function remember({ pixels, least, heads, before }: Chains, from: number, to: number): void {
  const end = Math.min(to, pixels.length - least + 1);
  for (let at = from; at < end; at += 1) {
    // Within a plain area all places are alike.
    if (at > 0 && pixels[at] === pixels[at - 1] && pixels[at] === pixels[at + 1]) continue;
    const hash = hashAt(pixels, at, least);
    before[at & ringMask] = heads[hash] ?? -1;
    heads[hash] = at;
  }
}

function alike(pixels: Int32Array, at: number, from: number): number {
  const most = Math.min(mostLength, pixels.length - at);
  let length = 0;
  while (length < most && pixels[at + length] === pixels[from + length]) length += 1;
  return length;
}

function hashAt(pixels: Int32Array, at: number, count: number): number {
  let hash = 0;
  for (let index = 0; index < count; index += 1)
    hash = Math.imul(hash ^ (pixels[at + index] ?? 0), 0x2c1b_3c6d) + (hash >>> 15);
  return Math.imul(hash, 0x297a_2d39) >>> (32 - hashBits);
}

/** Not a power of two, which might fall on one column again and again. */
const sampleStep = 7;

/** About how many bits a pixel takes that is not as the one before it. */
function pixelBits(pixels: Int32Array): number {
  const estimate = createPixelEstimate();
  for (let at = 1; at < pixels.length; at += sampleStep)
    if (pixels[at] !== pixels[at - 1]) estimate.add(pixels[at] ?? 0);
  return Math.max(1, estimate.bits());
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}

/** Numbers for places that are near: by how far they are, as the format has them, and the way there in the row and in rows. */
const nearPlaces = Array.from({ length: 8 * 16 }, (_, index) => ({ x: (index & 15) - 7, y: index >> 4 }))
  .filter(({ x, y }) => y > 0 || x > 0)
  .sort((a, b) => a.x ** 2 + a.y ** 2 - (b.x ** 2 + b.y ** 2) || Math.abs(a.x) - Math.abs(b.x) || b.x - a.x);

/** https://www.rfc-editor.org/rfc/rfc9649#section-3.6.2.2: short numbers for what is near in the picture, and after them those of all others. */
export function distanceNumbers(width: number): (distance: number) => number {
  const near = new Uint8Array(7 * width + 9);
  for (const [index, { x, y }] of nearPlaces.entries()) {
    const distance = x + y * width;
    if (distance > 0 && near[distance] === 0) near[distance] = index + 1;
  }
  return (distance) => {
    const number = distance < near.length ? (near[distance] ?? 0) : 0;
    return number === 0 ? distance + nearPlaces.length : number;
  };
}
