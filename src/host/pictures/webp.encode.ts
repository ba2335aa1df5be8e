import type { PictureRows } from './picture-rows.ts';
import { PictureTooLarge } from './png.encode.ts';
import {
  type BitWriter,
  bitsFor,
  createBitWriter,
  type PrefixCode,
  prefixCodeFor,
  writePrefixCode,
} from './webp.codes.ts';
import { type Copies, distanceNumbers, findCopies } from './webp.copies.ts';
import {
  applyGuesses,
  blockBits,
  chooseGuesses,
  differences,
  indexed,
  isBetterGuessed,
  paletteOf,
  subtractGreen,
} from './webp.transforms.ts';

const mostSide = 16_383;

/** Pixels as words: alpha, red, green and blue, from the highest byte to the lowest. */
export interface WebpPixels {
  width: number;
  height: number;
  /** It is used up: what it holds afterwards is no picture. */
  pixels: Int32Array;
}

/** https://www.rfc-editor.org/rfc/rfc9649, lossless. Nothing else happens in its thread meanwhile. */
export function encodeWebp(rows: PictureRows, mostBytes: number): Uint8Array<ArrayBuffer> {
  const { width, height } = rows;
  refuseSides(width, height);
  const pixels = new Int32Array(width * height);
  const row = new Uint8Array(width * 3);
  for (let y = 0, to = 0; y < height; y += 1) {
    rows.read(y, row);
    for (let at = 0; at < row.length; at += 3, to += 1)
      pixels[to] = 0xff00_0000 | ((row[at] ?? 0) << 16) | ((row[at + 1] ?? 0) << 8) | (row[at + 2] ?? 0);
  }
  return encodeWebpPixels({ width, height, pixels }, mostBytes);
}

function refuseSides(width: number, height: number): void {
  if (width <= mostSide && height <= mostSide) return;
  throw new PictureTooLarge(
    `A picture of ${width} × ${height} pixels does not fit into WebP, whose sides have ${mostSide} pixels at most; take png, or a smaller max_width`,
  );
}

export function encodeWebpPixels(picture: WebpPixels, mostBytes: number): Uint8Array<ArrayBuffer> {
  const content = bitstreamOf(picture, mostBytes);
  const padded = content.length + (content.length % 2);
  // Memory of its own, which can be handed to another thread.
  const file = new Uint8Array(20 + padded);
  const head = Buffer.from(file.buffer);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(12 + padded, 4);
  head.write('WEBPVP8L', 8, 'latin1');
  head.writeUInt32LE(content.length, 16);
  file.set(content, 20);
  if (file.length > mostBytes) throw tooLarge(mostBytes);
  return file;
}

const tooLarge = (mostBytes: number) =>
  new PictureTooLarge(
    `The picture has more than ${mostBytes / 2 ** 20} MiB as WebP; a smaller max_width makes it smaller`,
  );

const transforms = { guesses: 0, subtractGreen: 2, palette: 3 };

function bitstreamOf({ width, height, pixels }: WebpPixels, mostBytes: number): Uint8Array {
  const out = createBitWriter();
  out.write(0x2f, 8);
  out.write(width - 1, 14);
  out.write(height - 1, 14);
  out.write(isOpaque(pixels) ? 0 : 1, 1);
  out.write(0, 3);
  const begin = (transform: number) => {
    out.write(1, 1);
    out.write(transform, 2);
  };
  const finish = (shown: Int32Array, shownWidth: number) => {
    out.write(0, 1);
    writePixels(out, shown, shownWidth, { isWhole: true, mostBytes });
    return out.finish();
  };
  const palette = paletteOf(pixels);
  if (palette !== null) {
    begin(transforms.palette);
    out.write(palette.colours.length - 1, 8);
    writePixels(out, differences(palette.colours), palette.colours.length, { isWhole: false, mostBytes });
    const { pixels: numbers, width: narrow } = indexed(pixels, width, palette);
    return finish(numbers, narrow);
  }
  begin(transforms.subtractGreen);
  subtractGreen(pixels);
  if (isBetterGuessed(pixels, width)) {
    const guesses = chooseGuesses(pixels, width);
    begin(transforms.guesses);
    out.write(blockBits - 2, 3);
    writePixels(out, guesses.blocks, guesses.across, { isWhole: false, mostBytes });
    applyGuesses(pixels, width, guesses);
  }
  return finish(pixels, width);
}

function isOpaque(pixels: Int32Array): boolean {
  for (let at = 0; at < pixels.length; at += 1) if ((pixels[at] ?? 0) >>> 24 !== 0xff) return false;
  return true;
}

const lengthSymbols = 24;
const distanceSymbols = 40;

/** How often each symbol occurs, in each of the five alphabets. */
interface Uses {
  /** After the 256 greens: lengths of copies, and places of the cache. */
  green: Uint32Array;
  red: Uint32Array;
  blue: Uint32Array;
  alpha: Uint32Array;
  distance: Uint32Array;
  cacheBits: number;
}

interface Codes {
  uses: Uses;
  codes: PrefixCode[];
  bits: number;
}

/** `isWhole`: the picture itself, and not one that tells how it was changed. */
function writePixels(
  out: BitWriter,
  pixels: Int32Array,
  width: number,
  { isWhole, mostBytes }: { isWhole: boolean; mostBytes: number },
): void {
  const copies = findCopies(pixels, width);
  const { numbers, count } = copies;
  const numberOf = distanceNumbers(width);
  for (let at = 0; at < count * 3; at += 3) numbers[at + 2] = numberOf(numbers[at + 2] ?? 0);
  const best = bestCodes(pixels, copies);
  if (best.bits > mostBytes * 8) throw tooLarge(mostBytes);
  const { cacheBits } = best.uses;
  out.write(cacheBits === 0 ? 0 : 1, 1);
  if (cacheBits > 0) out.write(cacheBits, 4);
  // One set of codes for all of it.
  if (isWhole) out.write(0, 1);
  for (const code of best.codes) writePrefixCode(out, code);
  writeSymbols(out, pixels, copies, best);
}

/** Of the colours that were there last, by a hash of them; 0: there is none. */
const cacheSizes = [0, 6, 10];

function bestCodes(pixels: Int32Array, copies: Copies): Codes {
  let best: Codes | null = null;
  for (const cacheBits of cacheSizes) {
    const uses = countUses(pixels, copies, cacheBits);
    const all = [uses.green, uses.red, uses.blue, uses.alpha, uses.distance];
    const codes = all.map(prefixCodeFor);
    // A symbol costs a few bits in the code as well.
    const bits =
      all.reduce((sum, one, index) => sum + bitsFor(one, codes[index] as PrefixCode), 0) +
      4 * uses.green.filter((count) => count > 0).length;
    if (best === null || bits < best.bits) best = { uses, codes, bits };
  }
  return best as Codes;
}

const cachePlace = (pixel: number, cacheBits: number) => Math.imul(pixel, 0x1e35_a7bd) >>> (32 - cacheBits);

function add(counts: Uint32Array, symbol: number): void {
  counts[symbol] = (counts[symbol] ?? 0) + 1;
}

function countUses(pixels: Int32Array, { numbers, count }: Copies, cacheBits: number): Uses {
  const firstCached = 256 + lengthSymbols;
  const green = new Uint32Array(firstCached + (cacheBits === 0 ? 0 : 2 ** cacheBits));
  const [red, blue, alpha] = [new Uint32Array(256), new Uint32Array(256), new Uint32Array(256)];
  const distance = new Uint32Array(distanceSymbols);
  const cache = new Int32Array(2 ** cacheBits);
  let at = 0;
  for (let index = 0; index <= count; index += 1) {
    const end = index < count ? at + (numbers[index * 3] ?? 0) : pixels.length;
    for (; at < end; at += 1) {
      const pixel = pixels[at] ?? 0;
      if (cacheBits > 0) {
        const place = cachePlace(pixel, cacheBits);
        if (cache[place] === pixel) {
          add(green, firstCached + place);
          continue;
        }
        cache[place] = pixel;
      }
      add(green, (pixel >>> 8) & 0xff);
      add(red, (pixel >>> 16) & 0xff);
      add(blue, pixel & 0xff);
      add(alpha, pixel >>> 24);
    }
    if (index === count) break;
    const length = numbers[index * 3 + 1] ?? 0;
    add(green, 256 + symbolOf(length));
    add(distance, symbolOf(numbers[index * 3 + 2] ?? 0));
    if (cacheBits > 0) keepAll(pixels, at, at + length, cache, cacheBits);
    at += length;
  }
  return { green, red, blue, alpha, distance, cacheBits };
}

function keepAll(pixels: Int32Array, from: number, to: number, cache: Int32Array, cacheBits: number): void {
  for (let at = from; at < to; at += 1) {
    const pixel = pixels[at] ?? 0;
    cache[cachePlace(pixel, cacheBits)] = pixel;
  }
}

/** Numbers from 1 on: small ones are a symbol each, of larger ones it is the two highest bits, and the rest follows. */
function symbolOf(number: number): number {
  if (number <= 4) return number - 1;
  const highest = 31 - Math.clz32(number - 1);
  return 2 * highest + (((number - 1) >>> (highest - 1)) & 1);
}

function writeSymbols(
  out: BitWriter,
  pixels: Int32Array,
  { numbers, count }: Copies,
  { uses: { cacheBits }, codes }: Codes,
): void {
  const [green, red, blue, alpha, distance] = codes as [PrefixCode, PrefixCode, PrefixCode, PrefixCode, PrefixCode];
  const { write } = out;
  const put = ({ bits, counts }: PrefixCode, symbol: number) => write(bits[symbol] ?? 0, counts[symbol] ?? 0);
  const putNumber = (code: PrefixCode, firstSymbol: number, number: number) => {
    const symbol = symbolOf(number);
    put(code, firstSymbol + symbol);
    if (symbol < 4) return;
    const extra = (symbol - 2) >> 1;
    const rest = (number - 1) & (2 ** extra - 1);
    write(rest & 0xffff, Math.min(16, extra));
    if (extra > 16) write(rest >>> 16, extra - 16);
  };
  const firstCached = 256 + lengthSymbols;
  const cache = new Int32Array(2 ** cacheBits);
  let at = 0;
  for (let index = 0; index <= count; index += 1) {
    const end = index < count ? at + (numbers[index * 3] ?? 0) : pixels.length;
    for (; at < end; at += 1) {
      const pixel = pixels[at] ?? 0;
      if (cacheBits > 0) {
        const place = cachePlace(pixel, cacheBits);
        if (cache[place] === pixel) {
          put(green, firstCached + place);
          continue;
        }
        cache[place] = pixel;
      }
      put(green, (pixel >>> 8) & 0xff);
      put(red, (pixel >>> 16) & 0xff);
      put(blue, pixel & 0xff);
      put(alpha, pixel >>> 24);
    }
    if (index === count) break;
    const length = numbers[index * 3 + 1] ?? 0;
    putNumber(green, 256, length);
    putNumber(distance, 0, numbers[index * 3 + 2] ?? 0);
    if (cacheBits > 0) keepAll(pixels, at, at + length, cache, cacheBits);
    at += length;
  }
}
