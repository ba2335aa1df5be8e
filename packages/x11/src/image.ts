import type { X11 } from './connection.ts';
import { internAtoms, requests, x11Words } from './protocol.ts';

/** A part of the screen, in pixels. */
export interface X11Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const allPlanes = 0xffff_ffff;
const wholePixels = 2;
/** The cost of assembling a reply grows with its size; two requests are in flight at a time. */
const stripBytes = 512 * 1024;
const ahead = 2;

/** The pixels, from the top, in strips of whole rows of four bytes a pixel. Throws X11Error outside the screen. */
export async function readX11Image(
  x11: X11,
  { x, y, width, height }: X11Area,
  take: (rows: Uint8Array) => void,
): Promise<void> {
  const rows = Math.max(1, Math.floor(stripBytes / (4 * width)));
  const ask = (top: number) => {
    const count = Math.min(rows, height - top);
    const area = Buffer.alloc(8);
    area.writeInt16LE(x, 0);
    area.writeInt16LE(y + top, 2);
    area.writeUInt16LE(width, 4);
    area.writeUInt16LE(count, 6);
    const reply = x11.ask(
      requests.getImage,
      wholePixels,
      Buffer.concat([x11Words(x11.root), area, x11Words(allPlanes)]),
    );
    // Awaited later, in order; avoids an unhandled rejection until then.
    reply.catch(() => {});
    return { reply, bytes: count * width * 4 };
  };
  const pending: ReturnType<typeof ask>[] = [];
  for (let next = 0; next < height || pending.length > 0; ) {
    for (; next < height && pending.length < ahead; next += rows) pending.push(ask(next));
    const first = pending.shift();
    if (first === undefined) break;
    const image = (await first.reply).subarray(32);
    if (image.length < first.bytes) throw new Error('the X server sent less of the picture than announced');
    take(image.subarray(0, first.bytes));
  }
}

/** Geometry of the active window; null: no window has the focus, or there is no window manager to report it. Throws X11Error where it has just been closed. */
export async function activeX11Area(x11: X11): Promise<X11Area | null> {
  const name = '_NET_ACTIVE_WINDOW';
  const atom = (await internAtoms(x11, [name])).get(name) ?? 0;
  const property = await x11.ask(requests.getProperty, 0, x11Words(x11.root, atom, 0, 0, 1));
  const window = property.readUInt32LE(16) > 0 && property[1] === 32 ? property.readUInt32LE(32) : 0;
  if (window === 0) return null;
  const [geometry, place] = await Promise.all([
    x11.ask(requests.getGeometry, 0, x11Words(window)),
    x11.ask(requests.translateCoordinates, 0, x11Words(window, x11.root, 0)),
  ]);
  return {
    x: place.readInt16LE(12),
    y: place.readInt16LE(14),
    width: geometry.readUInt16LE(16),
    height: geometry.readUInt16LE(18),
  };
}

/** null: nothing of it is on the screen. */
export function visiblePart(
  { x, y, width, height }: X11Area,
  screen: { width: number; height: number },
): X11Area | null {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(screen.width, x + width), Math.min(screen.height, y + height)];
  return right <= left || bottom <= top ? null : { x: left, y: top, width: right - left, height: bottom - top };
}
