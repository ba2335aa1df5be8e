import fs from 'node:fs';
import { openWayland } from '@hostler/wayland/connection.ts';
import { readGlobals } from '@hostler/wayland/globals.ts';
import { followOutputs, type WaylandOutputs } from '@hostler/wayland/outputs.ts';
import { type CopiedScreen, NoScreenCopy, openScreenCopy } from '@hostler/wayland/screen-copy.ts';
import { partOf } from '../../../core/part.ts';
import { createDescriptorConnect } from '../../../host/linux/descriptor-socket.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { encodePicture, type PixelFormat, refuseOversized } from '../pictures/pictures.ts';
import { noSuchDisplay, type ScreenPicture, type ScreenRequest } from '../pictures/screen-request.ts';
import { createPictureMemory } from './picture-memory.ts';
import { screenTimeoutMs } from './screen-picture.ts';

/** The two formats of wl_shm, and those of DRM, whose codes are four letters. */
const formats: ReadonlyMap<number, PixelFormat> = new Map([
  [0, { bytes: 4, bits: 8, red: 16, green: 8, blue: 0 }],
  [1, { bytes: 4, bits: 8, red: 16, green: 8, blue: 0 }],
  ...drm(['AB24', 'XB24'], { bytes: 4, bits: 8, red: 0, green: 8, blue: 16 }),
  ...drm(['RA24', 'RX24'], { bytes: 4, bits: 8, red: 24, green: 16, blue: 8 }),
  ...drm(['BA24', 'BX24'], { bytes: 4, bits: 8, red: 8, green: 16, blue: 24 }),
  ...drm(['RG24'], { bytes: 3, bits: 8, red: 16, green: 8, blue: 0 }),
  ...drm(['BG24'], { bytes: 3, bits: 8, red: 0, green: 8, blue: 16 }),
  ...drm(['AR30', 'XR30'], { bytes: 4, bits: 10, red: 20, green: 10, blue: 0 }),
  ...drm(['AB30', 'XB30'], { bytes: 4, bits: 10, red: 0, green: 10, blue: 20 }),
]);

function drm(names: string[], format: PixelFormat): [number, PixelFormat][] {
  return names.map((name) => [Buffer.from(name, 'latin1').readUInt32LE(0), format]);
}

async function open({ clock }: LinuxHost, socket: string) {
  const { connect, attach } = createDescriptorConnect({ receives: false });
  const wayland = await openWayland(connect, clock, { socket, timeoutMs: screenTimeoutMs });
  return await closedOnFailure(wayland, async () => {
    const outputs = await followOutputs(wayland, () => {});
    const globals = await readGlobals(wayland);
    const copy = openScreenCopy(wayland, globals, (format) => formats.get(format)?.bytes ?? null);
    return { wayland, outputs, copy, attach };
  });
}

export async function copiesOnWayland(host: LinuxHost, socket: string): Promise<boolean> {
  const { wayland, copy } = await open(host, socket);
  wayland.close();
  return copy !== null;
}

/** null: the compositor does not allow it. */
export async function takeOnWayland(
  host: LinuxHost,
  socket: string,
  request: ScreenRequest,
): Promise<ScreenPicture | null> {
  const { wayland, outputs, copy, attach } = await open(host, socket);
  const cancel = host.clock.after(screenTimeoutMs, () => late.reject(tooLate()));
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const memory: { descriptor: number | null } = { descriptor: null };
  try {
    if (copy === null) return null;
    if (request.activeWindow) throw noWindows();
    const { id, object } = chosen(outputs, request.display);
    const copied = await Promise.race([
      copy.copy(object, ({ width, height, stride }, start) => {
        refuseOversized(width, height);
        if (stride < width * 3 || stride > width * 8)
          throw new NoScreenCopy('the compositor offers rows of an invalid size');
        memory.descriptor = createPictureMemory(stride * height);
        attach(memory.descriptor);
        start();
      }),
      late.promise,
    ]);
    cancel();
    wayland.close();
    const raw = { ...copied, ...pixelsOf(copied), transform: copied.turn, descriptor: memory.descriptor ?? -1 };
    return { ...(await (await partOf(host, encodePicture))(raw, request)), display: id };
  } finally {
    cancel();
    wayland.close();
    if (memory.descriptor !== null) fs.closeSync(memory.descriptor);
  }
}

function chosen(outputs: WaylandOutputs, wanted: string | null) {
  const all = outputs.list().map((output, index) => ({ output, id: output.name ?? `wayland-${index}` }));
  const primary = outputs.primary();
  const found =
    wanted === null ? (all.find(({ id }) => id === primary) ?? firstPlaced(all)) : all.find(({ id }) => id === wanted);
  const object = found === undefined ? null : outputs.object(found.output);
  if (found !== undefined && object !== null) return { id: found.id, object };
  if (wanted !== null)
    throw noSuchDisplay(
      wanted,
      all.map(({ id }) => id),
    );
  throw new ServiceError('not_found', 'There is no display on this desktop now');
}

/** The display at the upper left, if none is the primary one. */
function firstPlaced<T extends { output: { x: number; y: number } }>(all: readonly T[]): T | undefined {
  return [...all].sort((a, b) => a.output.y - b.output.y || a.output.x - b.output.x)[0];
}

function pixelsOf({ format, width, stride }: CopiedScreen): { format: PixelFormat } {
  const found = formats.get(format);
  if (found === undefined || stride < width * found.bytes)
    throw new NoScreenCopy('the compositor offers rows of an invalid size');
  return { format: found };
}

const tooLate = () => new Error(`the compositor did not answer within ${screenTimeoutMs / 1000} s`);

const noWindows = () =>
  new ServiceError(
    'unsupported',
    'This compositor captures whole displays only, not single windows; leave out window, and name a display',
  );
