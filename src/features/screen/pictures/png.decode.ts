import { inflateSync } from 'node:zlib';
import type { PictureRows } from './picture-rows.ts';
import { refuseOversized } from './pictures.ts';
import { pngSignature } from './png.encode.ts';

/** Bytes per pixel by colour type, for the types that desktops write. */
const channels: Partial<Record<number, number>> = { 2: 3, 6: 4 };

/** https://www.w3.org/TR/png-3/: eight bits per colour, not interlaced. Transparency is dropped. */
export async function decodePng(file: Uint8Array): Promise<PictureRows> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (!bytes.subarray(0, 8).equals(pngSignature)) throw new Error('the file of the desktop is not a PNG');
  const parts: Buffer[] = [];
  let header: Buffer | null = null;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (content.length < length) break;
    if (type === 'IHDR') header = content;
    if (type === 'IDAT') parts.push(content);
    at += 12 + length;
  }
  if (header === null || header.length < 13) throw new Error('the picture of the desktop has no header');
  const [width, height, depth, colours, interlaced] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    header[8],
    header[9] ?? 0,
    header[12],
  ];
  refuseOversized(width, height);
  const pixel = channels[colours];
  if (depth !== 8 || pixel === undefined || interlaced !== 0)
    throw new Error('the picture of the desktop is an unsupported kind of PNG');
  const stride = 1 + width * pixel;
  const lines = inflateSync(Buffer.concat(parts), { maxOutputLength: stride * height });
  if (lines.length < stride * height) throw new Error('the picture of the desktop ends too early');
  for (let y = 0; y < height; y += 1) unfilter(lines, y * stride, stride, pixel, y === 0);
  return {
    width,
    height,
    read(y, row) {
      for (let x = 0, at = y * stride + 1, to = 0; x < width; x += 1, at += pixel, to += 3) {
        row[to] = lines[at] ?? 0;
        row[to + 1] = lines[at + 1] ?? 0;
        row[to + 2] = lines[at + 2] ?? 0;
      }
    },
  };
}

/** Decodes in place; the row above is already decoded. */
function unfilter(lines: Buffer, start: number, stride: number, pixel: number, isFirst: boolean): void {
  const filter = lines[start];
  for (let at = start + 1; at < start + stride; at += 1) {
    const isLeftmost = at <= start + pixel;
    const left = isLeftmost ? 0 : (lines[at - pixel] ?? 0);
    const up = isFirst ? 0 : (lines[at - stride] ?? 0);
    const corner = isLeftmost || isFirst ? 0 : (lines[at - stride - pixel] ?? 0);
    lines[at] = (lines[at] ?? 0) + predicted(filter, left, up, corner);
  }
}

function predicted(filter: number | undefined, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const [toLeft, toUp, toCorner] = [
        Math.abs(up - corner),
        Math.abs(left - corner),
        Math.abs(left + up - 2 * corner),
      ];
      if (toLeft <= toUp && toLeft <= toCorner) return left;
      return toUp <= toCorner ? up : corner;
    }
    default:
      throw new Error('the picture of the desktop has an unknown row filter');
  }
}
