import type { PictureRows } from './picture-rows.ts';
import { PictureTooLarge } from './png.encode.ts';

const mostSide = 16_383;
/** A little more than 4K. libwebp needs about 30 bytes per pixel (1 GB for 8K), PNG hardly any. */
const mostPixels = 10_000_000;

/** Lossless, with the libwebp of the runtime, which takes files only: the pixels are passed as a bitmap file. */
export async function encodeWebp(rows: PictureRows, mostBytes: number): Promise<Uint8Array> {
  const { width, height } = rows;
  if (width > mostSide || height > mostSide || width * height > mostPixels)
    throw new PictureTooLarge(
      `A picture of ${width} × ${height} pixels is too large for WebP: the limits are ${mostPixels / 1_000_000} million pixels, and ${mostSide} on each side; use png, or a smaller max_width`,
    );
  const bytes = await new Bun.Image(bitmapOf(rows)).webp({ lossless: true }).bytes();
  if (bytes.length > mostBytes)
    throw new PictureTooLarge(
      `The picture has more than ${mostBytes / 2 ** 20} MiB as WebP; a smaller max_width makes it smaller`,
    );
  return bytes;
}

/** https://learn.microsoft.com/windows/win32/gdi/bitmap-storage: two headers, then rows of blue, green and red from the top, padded to whole words. */
function bitmapOf({ width, height, read }: PictureRows): Uint8Array<ArrayBuffer> {
  const [headers, info] = [54, 40];
  const stride = Math.ceil((width * 3) / 4) * 4;
  const file = new Uint8Array(headers + stride * height);
  const head = new DataView(file.buffer);
  head.setUint16(0, 0x4d42, true);
  head.setUint32(2, file.length, true);
  head.setUint32(10, headers, true);
  head.setUint32(14, info, true);
  head.setInt32(18, width, true);
  head.setInt32(22, -height, true);
  head.setUint16(26, 1, true);
  head.setUint16(28, 24, true);
  const row = new Uint8Array(width * 3);
  for (let y = 0; y < height; y += 1) {
    read(y, row);
    const to = headers + y * stride;
    for (let at = 0; at < row.length; at += 3) {
      file[to + at] = row[at + 2] ?? 0;
      file[to + at + 1] = row[at + 1] ?? 0;
      file[to + at + 2] = row[at] ?? 0;
    }
  }
  return file;
}
