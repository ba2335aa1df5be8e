import fs from 'node:fs';
import { type X11, X11Error, type X11Screen } from '@hostler/x11/connection.ts';
import { activeX11Area, readX11Image, visiblePart, type X11Area } from '@hostler/x11/image.ts';
import { openRandr } from '@hostler/x11/randr.ts';
import { partOf } from '../../../core/part.ts';
import type { X11Place } from '../../../host/linux/desktop/desktop-session.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { encodePicture, type PixelFormat, refuseOversized } from '../pictures/pictures.ts';
import { noSuchDisplay, type ScreenPicture, type ScreenRequest } from '../pictures/screen-request.ts';
import { createPictureMemory } from './picture-memory.ts';
import { screenTimeoutMs } from './screen-picture.ts';

/** For all strips together. */
const wholeMs = 10_000;

/** The visible content of that area, including what covers a window. */
export async function takeOnX11(host: LinuxHost, place: X11Place, request: ScreenRequest): Promise<ScreenPicture> {
  const x11 = await openDisplay(host, place, screenTimeoutMs);
  let memory: number | null = null;
  let isLate = false;
  const cancel = host.clock.after(wholeMs, () => {
    isLate = true;
    x11.close();
  });
  try {
    const format = formatOf(x11.screen, place.display);
    const { display, area } = await wanted(x11, request);
    const { width, height } = area;
    refuseOversized(width, height);
    const descriptor = createPictureMemory(width * height * 4);
    memory = descriptor;
    let at = 0;
    await readX11Image(x11, area, (rows) => {
      for (let done = 0; done < rows.length; )
        done += fs.writeSync(descriptor, rows, done, rows.length - done, at + done);
      at += rows.length;
    });
    cancel();
    x11.close();
    const raw = { descriptor, width, height, stride: width * 4, format, transform: 0, upsideDown: false };
    return { ...(await (await partOf(host, encodePicture))(raw, request)), display };
  } catch (error) {
    if (isLate) throw new Error(`the X server did not send the picture within ${wholeMs / 1000} s`, { cause: error });
    if (!(error instanceof X11Error)) throw error;
    throw new Error('the displays have just been rearranged, or the window was closed; try again', { cause: error });
  } finally {
    cancel();
    x11.close();
    if (memory !== null) fs.closeSync(memory);
  }
}

async function wanted(x11: X11, request: ScreenRequest): Promise<{ display: string | null; area: X11Area }> {
  if (request.activeWindow) return { display: null, area: await windowArea(x11) };
  const randr = await openRandr(x11);
  const monitors = randr === null ? [] : await randr.monitors();
  const { screen } = x11;
  const monitor =
    request.display === null
      ? (monitors.find(({ isPrimary }) => isPrimary) ?? monitors[0])
      : monitors.find(({ name }) => name === request.display);
  if (monitor === undefined) {
    if (request.display !== null)
      throw noSuchDisplay(
        request.display,
        monitors.map(({ name }) => name),
      );
    return { display: null, area: { x: 0, y: 0, width: screen.width, height: screen.height } };
  }
  return { display: monitor.name, area: onScreen(monitor, await sizeNow(x11), monitor.name) };
}

async function windowArea(x11: X11): Promise<X11Area> {
  const area = await activeX11Area(x11);
  if (area === null)
    throw new ServiceError('not_found', 'No window is in front, or the window manager does not report it');
  return onScreen(area, await sizeNow(x11), 'The window in front');
}

function onScreen(area: X11Area, screen: { width: number; height: number }, name: string): X11Area {
  const visible = visiblePart(area, screen);
  if (visible === null) throw new ServiceError('not_found', `${name} is not on the screen`);
  return visible;
}

const getGeometry = 14;

/** The size in the connection setup is not updated when the screen grows. */
async function sizeNow(x11: X11): Promise<{ width: number; height: number }> {
  const root = Buffer.alloc(4);
  root.writeUInt32LE(x11.root);
  const geometry = await x11.ask(getGeometry, 0, root);
  return { width: geometry.readUInt16LE(16), height: geometry.readUInt16LE(18) };
}

function formatOf({ bitsPerPixel, isLittleEndian, red, green, blue }: X11Screen, display: string): PixelFormat {
  const shifts = [red, green, blue].map((mask) => (mask === 0 ? 0 : 31 - Math.clz32(mask & -mask)));
  const widths = [red, green, blue].map((mask, index) => 32 - Math.clz32(mask >>> (shifts[index] ?? 0)));
  const [bits] = widths;
  if (bitsPerPixel === 32 && isLittleEndian && (bits === 8 || bits === 10) && widths.every((width) => width === bits)) {
    const [redAt = 0, greenAt = 0, blueAt = 0] = shifts;
    return { bytes: 4, bits, red: redAt, green: greenAt, blue: blueAt };
  }
  throw new ServiceError(
    'unsupported',
    `The X server ${display} has pixels of ${bitsPerPixel} bits; pictures are taken of screens with 24 or 30 bits of colour`,
  );
}
