import { x11Words } from '@hostler/x11/protocol.ts';
import type { PictureRows } from '../../../src/features/screen/pictures/picture-rows.ts';
import { decodePng } from '../../../src/features/screen/pictures/png.decode.ts';
import { encodePng } from '../../../src/features/screen/pictures/png.encode.ts';
import { openDisplay } from '../../../src/host/linux/desktop/x11-display.ts';
import { hostIn } from './session-host.ts';

/** The pattern painted on a display: each pixel differs from its neighbours, and from the same pixel of another display. */
export type Painted = (x: number, y: number) => [red: number, green: number, blue: number];

export const patternOf =
  (seed: number): Painted =>
  (x, y) => [(x * 7 + seed * 50) & 255, (y * 5 + x) & 255, ((x ^ y) + seed * 90) & 255];

/** The mean of a square of it: one pixel of a scaled-down picture. */
export const meanOf = (painted: Painted, left: number, top: number, side: number): number[] =>
  [0, 1, 2].map((colour) => {
    let sum = 0;
    for (let y = 0; y < side; y += 1) for (let x = 0; x < side; x += 1) sum += painted(left + x, top + y)[colour] ?? 0;
    return Math.round(sum / side ** 2);
  });

export const paintedRows = (painted: Painted, width: number, height: number): PictureRows => ({
  width,
  height,
  read(y, row) {
    for (let x = 0; x < width; x += 1) row.set(painted(x, y), x * 3);
  },
});

export const paintedPng = (painted: Painted, width: number, height: number) =>
  encodePng(paintedRows(painted, width, height), 2 ** 26);

/** Red, green and blue of all pixels. */
export function pixelsIn({ width, height, read }: PictureRows): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) read(y, pixels.subarray(y * width * 3));
  return pixels;
}

export async function pictureIn(png: Uint8Array): Promise<{ width: number; height: number; pixels: Buffer }> {
  const rows = await decodePng(png);
  return { width: rows.width, height: rows.height, pixels: pixelsIn(rows) };
}

/** The number of pixels that differ from the pattern. */
export function wrongPixels(
  { width, height, pixels }: Awaited<ReturnType<typeof pictureIn>>,
  painted: Painted,
): number {
  const expected = pixelsIn(paintedRows(painted, width, height));
  let wrong = 0;
  for (let at = 0; at < pixels.length; at += 3) if (pixels.compare(expected, at, at + 3, at, at + 3) !== 0) wrong += 1;
  return wrong;
}

const [changeWindowAttributes, createPixmap, createGc, clearArea, putImage] = [2, 53, 55, 61, 72];

/** Sets it as the background of the whole X screen; it stays while the returned connection is open. */
export async function paintX11(display: string, painted: Painted, width: number, height: number): Promise<() => void> {
  const host = hostIn({ PATH: process.env.PATH ?? '', DISPLAY: display });
  const { x11: place } = await host.session.find();
  if (place === null) throw new Error(`no server answers at ${display}`);
  const x11 = await openDisplay(host, place, 30_000);
  const [pixmap, gc] = [x11.firstId, x11.firstId + 1];
  const sides = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
  x11.send(createPixmap, 24, Buffer.concat([x11Words(pixmap, x11.root), sides(width, height)]));
  x11.send(createGc, 0, x11Words(gc, pixmap, 0));
  const rows = Math.floor((x11.maxRequestBytes - 64) / (width * 4));
  for (let top = 0; top < height; top += rows) {
    const count = Math.min(rows, height - top);
    const image = Buffer.alloc(count * width * 4);
    for (let y = 0; y < count; y += 1)
      for (let x = 0; x < width; x += 1) {
        const [red, green, blue] = painted(x, top + y);
        image.writeUInt32LE((red << 16) | (green << 8) | blue, (y * width + x) * 4);
      }
    const head = Buffer.concat([x11Words(pixmap, gc), sides(width, count, 0, top), Buffer.from([0, 24, 0, 0])]);
    x11.send(putImage, 2, Buffer.concat([head, image]));
    // One after the other: the server does not buffer unread data.
    await x11.extension('RANDR');
  }
  x11.send(changeWindowAttributes, 0, x11Words(x11.root, 1, pixmap));
  x11.send(clearArea, 0, Buffer.concat([x11Words(x11.root), sides(0, 0, 0, 0)]));
  await x11.extension('RANDR');
  return () => {
    x11.close();
    void host.close();
  };
}
