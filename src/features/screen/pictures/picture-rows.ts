import type { PictureLayout } from './pictures.ts';

/** A picture as rows from the top, with one byte each for red, green and blue. */
export interface PictureRows {
  width: number;
  height: number;
  /** Writes the next row to the beginning of `row`. */
  read(y: number, row: Uint8Array): void;
}

/** Addresses of the pixels of the upright picture: the first one, and the steps to the right and down. */
interface Walk {
  first: number;
  right: number;
  down: number;
}

export function rowsOf(picture: PictureLayout, memory: Uint8Array): PictureRows {
  const { transform, format } = picture;
  const isSideways = transform % 2 === 1;
  const width = isSideways ? picture.height : picture.width;
  const height = isSideways ? picture.width : picture.height;
  const { first, right, down } = walkOf(picture);
  const take = format.bits === 8 ? takeBytes : takeTens;
  return {
    width,
    height,
    read: (y, row) => take(memory, { first: first + y * down, right, down }, { width, row }, format),
  };
}

interface Target {
  width: number;
  row: Uint8Array;
}

function takeBytes(
  memory: Uint8Array,
  { first, right }: Walk,
  { width, row }: Target,
  { red, green, blue }: PictureLayout['format'],
): void {
  const [redAt, greenAt, blueAt] = [red >> 3, green >> 3, blue >> 3];
  for (let x = 0, at = first, to = 0; x < width; x += 1, at += right, to += 3) {
    row[to] = memory[at + redAt] ?? 0;
    row[to + 1] = memory[at + greenAt] ?? 0;
    row[to + 2] = memory[at + blueAt] ?? 0;
  }
}

/** Ten bits per colour, reduced to the upper eight. */
function takeTens(
  memory: Uint8Array,
  { first, right }: Walk,
  { width, row }: Target,
  { red, green, blue }: PictureLayout['format'],
): void {
  const view = new DataView(memory.buffer, memory.byteOffset, memory.length);
  for (let x = 0, at = first, to = 0; x < width; x += 1, at += right, to += 3) {
    const word = view.getUint32(at, true);
    row[to] = (word >>> (red + 2)) & 0xff;
    row[to + 1] = (word >>> (green + 2)) & 0xff;
    row[to + 2] = (word >>> (blue + 2)) & 0xff;
  }
}

/** Undoes the transform. */
function walkOf({ width, height, stride, format, transform, upsideDown }: PictureLayout): Walk {
  const across = format.bytes;
  const along = upsideDown ? -stride : stride;
  const origin = upsideDown ? (height - 1) * stride : 0;
  const lastColumn = (width - 1) * across;
  const lastRow = (height - 1) * along;
  const walks: Walk[] = [
    { first: 0, right: across, down: along },
    { first: lastRow, right: -along, down: across },
    { first: lastColumn + lastRow, right: -across, down: -along },
    { first: lastColumn, right: along, down: -across },
    { first: lastColumn, right: -across, down: along },
    { first: 0, right: along, down: across },
    { first: lastRow, right: across, down: -along },
    { first: lastColumn + lastRow, right: -along, down: -across },
  ];
  const walk = walks[transform];
  if (walk === undefined) throw new Error(`the picture has an unknown transform (${transform})`);
  return { ...walk, first: origin + walk.first };
}

/** Each pixel is the mean of the pixels that it covers. */
export function boxScaled(source: PictureRows, maxWidth: number): PictureRows {
  const width = Math.min(source.width, maxWidth);
  const height = Math.max(1, Math.round((source.height * width) / source.width));
  const read = new Uint8Array(source.width * 3);
  const narrow = new Float64Array(width * 3);
  const sums = new Float64Array(width * 3);
  let narrowed = -1;
  const narrowRow = (y: number) => {
    if (y === narrowed) return;
    source.read(y, read);
    averageAcross(read, source.width, narrow, width);
    narrowed = y;
  };
  const share = source.height / height;
  return {
    width,
    height,
    read(y, row) {
      sums.fill(0);
      const [from, to] = [y * share, Math.min(source.height, (y + 1) * share)];
      for (let at = Math.floor(from); at < to; at += 1) {
        narrowRow(at);
        const weight = (Math.min(at + 1, to) - Math.max(at, from)) / (to - from);
        for (let index = 0; index < sums.length; index += 1)
          sums[index] = (sums[index] ?? 0) + (narrow[index] ?? 0) * weight;
      }
      for (let index = 0; index < sums.length; index += 1) row[index] = Math.round(sums[index] ?? 0);
    },
  };
}

function averageAcross(row: Uint8Array, fromWidth: number, result: Float64Array, toWidth: number): void {
  const share = fromWidth / toWidth;
  for (let x = 0; x < toWidth; x += 1) {
    const [from, to] = [x * share, Math.min(fromWidth, (x + 1) * share)];
    let [red, green, blue] = [0, 0, 0];
    for (let at = Math.floor(from); at < to; at += 1) {
      const weight = Math.min(at + 1, to) - Math.max(at, from);
      red += (row[at * 3] ?? 0) * weight;
      green += (row[at * 3 + 1] ?? 0) * weight;
      blue += (row[at * 3 + 2] ?? 0) * weight;
    }
    const covered = to - from;
    result[x * 3] = red / covered;
    result[x * 3 + 1] = green / covered;
    result[x * 3 + 2] = blue / covered;
  }
}
