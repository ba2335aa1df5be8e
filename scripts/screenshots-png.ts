import { deflateSync, inflateSync } from 'node:zlib';

interface Pixels {
  width: number;
  height: number;
  /** Red, green and blue of each. */
  rgb: Uint8Array;
}

/** The same picture with its 256 most frequent colours; a page has few more: a third of the bytes. */
export function smaller(png: Buffer): Buffer {
  const pixels = decode(png);
  const small = encode(pixels, indexed(pixels));
  return small.length < png.length ? small : png;
}

interface Indexed {
  palette: number[];
  indices: Uint8Array;
}

function indexed({ rgb }: Pixels): Indexed {
  const colors = new Uint32Array(rgb.length / 3);
  const counts = new Map<number, number>();
  for (let at = 0; at < colors.length; at++) {
    const color = ((rgb[at * 3] ?? 0) << 16) | ((rgb[at * 3 + 1] ?? 0) << 8) | (rgb[at * 3 + 2] ?? 0);
    colors[at] = color;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const palette = paletteOf(counts);
  const places = new Map([...counts.keys()].map((color) => [color, nearest(color, palette)]));
  return { palette, indices: Uint8Array.from(colors, (color) => places.get(color) ?? 0) };
}

/** The most frequent colours, and those least similar to any of them: a single word in red stays red. */
function paletteOf(counts: ReadonlyMap<number, number>): number[] {
  const colors = [...counts].sort(([, a], [, b]) => b - a).map(([color]) => color);
  const palette = colors.slice(0, 208);
  const rest = colors
    .slice(208)
    .map((color) => ({ color, off: distance(color, palette[nearest(color, palette)] ?? 0) }));
  while (palette.length < 256 && rest.length > 0) {
    const { color } = rest.reduce((worst, each) => (each.off > worst.off ? each : worst));
    palette.push(color);
    for (const each of rest) each.off = Math.min(each.off, distance(each.color, color));
  }
  return palette;
}

const distance = (a: number, b: number) =>
  [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 0xff) - ((b >> shift) & 0xff)) ** 2, 0);

function nearest(color: number, palette: readonly number[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  palette.forEach((other, index) => {
    const off = distance(color, other);
    if (off >= least) return;
    least = off;
    best = index;
  });
  return best;
}

/** Eight bits a channel, not interlaced: what browsers write. */
function decode(png: Buffer): Pixels {
  const [width, height, kind] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
  const channels = kind === 6 ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rgb = new Uint8Array(width * height * 3);
  let above = new Uint8Array(stride);
  for (let row = 0; row < height; row++) {
    const start = row * (stride + 1);
    const line = unfiltered(raw[start] ?? 0, raw.subarray(start + 1, start + 1 + stride), above, channels);
    for (let pixel = 0; pixel < width; pixel++)
      rgb.set(line.subarray(pixel * channels, pixel * channels + 3), (row * width + pixel) * 3);
    above = line;
  }
  return { width, height, rgb };
}

/** https://www.w3.org/TR/png-3/#9Filters */
function unfiltered(filter: number, line: Uint8Array, above: Uint8Array, step: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(line.length);
  for (let at = 0; at < line.length; at++) {
    const left = at >= step ? (result[at - step] ?? 0) : 0;
    const up = above[at] ?? 0;
    const corner = at >= step ? (above[at - step] ?? 0) : 0;
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    result[at] = (line[at] ?? 0) + guess;
  }
  return result;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function encode({ width, height }: Pixels, { palette, indices }: Indexed): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const lines = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++)
    lines.set(indices.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 0xff, color & 0xff]));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
