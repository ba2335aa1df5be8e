import { once } from 'node:events';
import { createDeflate } from 'node:zlib';
import type { PictureRows } from './picture-rows.ts';

export class PictureTooLarge extends Error {
  override readonly name = 'PictureTooLarge';
}

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
const [subFilter, upFilter] = [1, 2];
/** Screens are mostly plain areas: a higher level takes much longer and saves little. */
const level = 2;

/** https://www.w3.org/TR/png-3/: eight bits per colour, no transparency, no metadata. Stops as soon as it is too large. */
export async function encodePng(rows: PictureRows, mostBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(rows.width, 0);
  header.writeUInt32BE(rows.height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const content = await deflateRows(rows, mostBytes);
  const parts = [pngSignature, chunkOf('IHDR', header), chunkOf('IDAT', content), chunkOf('IEND', Buffer.alloc(0))];
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  // A separate buffer, which can be transferred to another thread.
  const png = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    png.set(part, at);
    at += part.length;
  }
  return png;
}

async function deflateRows({ width, height, read }: PictureRows, mostBytes: number): Promise<Buffer> {
  const deflate = createDeflate({ level });
  const pieces: Buffer[] = [];
  let size = 0;
  deflate.on('data', (piece: Buffer) => {
    size += piece.length;
    pieces.push(piece);
  });
  const ended = once(deflate, 'end');
  ended.catch(() => {});
  const bytes = width * 3;
  let [row, above] = [new Uint8Array(bytes), new Uint8Array(bytes)];
  for (let y = 0; y < height; y += 1) {
    read(y, row);
    // Copied, because it is compressed later.
    if (!deflate.write(filtered(row, above))) await once(deflate, 'drain');
    if (size > mostBytes) {
      deflate.destroy();
      throw tooLarge(mostBytes);
    }
    [row, above] = [above, row];
  }
  deflate.end();
  await ended;
  if (size > mostBytes) throw tooLarge(mostBytes);
  return Buffer.concat(pieces);
}

const tooLarge = (mostBytes: number) =>
  new PictureTooLarge(
    `The picture has more than ${mostBytes / 2 ** 20} MiB as PNG; a smaller max_width makes it smaller`,
  );

/** A row equal to the one above becomes zeros; others the difference to the pixel on the left. */
function filtered(row: Uint8Array, above: Uint8Array): Uint8Array {
  const result = new Uint8Array(row.length + 1);
  if (Buffer.compare(row, above) === 0) {
    result[0] = upFilter;
    return result;
  }
  result[0] = subFilter;
  for (let at = 0; at < row.length; at += 1) result[at + 1] = (row[at] ?? 0) - (at < 3 ? 0 : (row[at - 3] ?? 0));
  return result;
}

function chunkOf(type: string, content: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + content.length);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crcOf(chunk.subarray(4, 8 + content.length)), 8 + content.length);
  return chunk;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  return crc;
});

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (let at = 0; at < bytes.length; at += 1) crc = (crc >>> 8) ^ (crcTable[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}
