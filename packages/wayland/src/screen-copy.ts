import type { Wayland } from './connection.ts';
import type { WaylandGlobals } from './globals.ts';

/**
 * Pictures of displays, for programs without a window: https://wayland.app/protocols/ext-image-copy-capture-v1, or its forerunner
 * https://wayland.app/protocols/wlr-screencopy-unstable-v1. The compositor reports the size, receives memory, and fills it.
 */
export interface ScreenCopy {
  /** `share` provides the memory: it attaches a descriptor of that many bytes to the request that `request` sends. */
  copy(output: CopiedOutput, share: ShareMemory): Promise<CopiedScreen>;
}

export interface CopiedOutput {
  id: number;
  /** With the rotation of the display. */
  turn: number;
}

/** Calls `request` at once, and sends the descriptor with it. Throws where the memory cannot be allocated. */
export type ShareMemory = (size: { width: number; height: number; stride: number }, request: () => void) => void;

export interface CopiedScreen {
  /** As wl_shm has it. https://wayland.app/protocols/wayland#wl_shm:enum:format */
  format: number;
  width: number;
  height: number;
  stride: number;
  upsideDown: boolean;
  turn: number;
}

/** The compositor refuses: the display was removed, or access is denied. */
export class NoScreenCopy extends Error {
  override readonly name = 'NoScreenCopy';
}

interface Offered {
  format: number;
  width: number;
  height: number;
  stride: number;
}

const createPool = 0;
const [createBuffer, destroyPool] = [0, 1];

/** `knows`: which formats can be read. null: the compositor has neither protocol. */
export function openScreenCopy(
  wayland: Wayland,
  globals: WaylandGlobals,
  knows: (format: number) => number | null,
): ScreenCopy | null {
  const open = extCopy(wayland, globals, knows) ?? wlrCopy(wayland, globals, knows);
  if (open === null) return null;
  const memory = globals.bind('wl_shm', 1);
  if (memory === null) return null;
  /** A buffer in memory that the compositor shares with us. */
  const bufferOf = ({ format, width, height, stride }: Offered, share: ShareMemory): number => {
    const pool = wayland.create(() => {});
    share({ width, height, stride }, () => wayland.request(memory, createPool, pool, stride * height));
    const buffer = wayland.create(() => {});
    wayland.request(pool, createBuffer, buffer, 0, width, height, stride, format);
    wayland.request(pool, destroyPool);
    return buffer;
  };
  return {
    async copy(output, share) {
      const done = Promise.withResolvers<CopiedScreen>();
      done.promise.catch(() => {});
      wayland.onClosed(done.reject);
      open(output, done, (offered) => bufferOf(offered, share));
      return await done.promise;
    },
  };
}

type Done = Pick<PromiseWithResolvers<CopiedScreen>, 'resolve' | 'reject'>;
type StartCopy = (output: CopiedOutput, done: Done, buffer: (offered: Offered) => number) => void;

/** Without the pointer of the mouse, as over X11. */
const options = 0;

function wlrCopy(
  wayland: Wayland,
  globals: WaylandGlobals,
  knows: (format: number) => number | null,
): StartCopy | null {
  const manager = globals.bind('zwlr_screencopy_manager_v1', 3);
  if (manager === null) return null;
  const captureOutput = 0;
  const copyRequest = 0;
  const [bufferEvent, flagsEvent, readyEvent, failedEvent, , , bufferDone] = [0, 1, 2, 3, 4, 5, 6];
  return (output, done, bufferFor) => {
    let offered: Offered | null = null;
    let refused: number | null = null;
    let upsideDown = false;
    let isStarted = false;
    const frame = wayland.create((opcode, event) => {
      if (opcode === bufferEvent) {
        const [format, width, height, stride] = [event.uint(), event.uint(), event.uint(), event.uint()];
        if (knows(format) === null) refused = format;
        else offered ??= { format, width, height, stride };
        return;
      }
      if (opcode === flagsEvent) upsideDown = (event.uint() & 1) === 1;
      if (opcode === failedEvent) return done.reject(failed());
      if (opcode === readyEvent && offered !== null) done.resolve({ ...offered, upsideDown, turn: output.turn });
      // A repeated event would cost another buffer each time.
      if (opcode !== bufferDone || isStarted) return;
      isStarted = true;
      if (offered === null) return done.reject(strange(refused));
      try {
        wayland.request(frame, copyRequest, bufferFor(offered));
      } catch (error) {
        done.reject(error);
      }
    });
    wayland.request(manager, captureOutput, frame, options, output.id);
  };
}

function extCopy(
  wayland: Wayland,
  globals: WaylandGlobals,
  knows: (format: number) => number | null,
): StartCopy | null {
  const sources = globals.bind('ext_output_image_capture_source_manager_v1', 1);
  const manager = sources === null ? null : globals.bind('ext_image_copy_capture_manager_v1', 1);
  if (sources === null || manager === null) return null;
  const [createSource, createSession, createFrame] = [0, 0, 0];
  const [, attachBuffer, damageBuffer, capture] = [0, 1, 2, 3];
  const [sizeEvent, formatEvent, , , doneEvent, stoppedEvent] = [0, 1, 2, 3, 4, 5];
  const [turnEvent, , , readyEvent, failedEvent] = [0, 1, 2, 3, 4];
  return (output, done, bufferFor) => {
    const size = { width: 0, height: 0 };
    let format: number | null = null;
    let refused: number | null = null;
    let isStarted = false;
    const start = () => {
      const bytes = format === null ? null : knows(format);
      if (format === null || bytes === null) return done.reject(strange(refused));
      const offered = { ...size, format, stride: size.width * bytes };
      // The compositor reports the rotation, if any.
      let turn = 0;
      const frame = wayland.create((opcode, event) => {
        if (opcode === turnEvent) turn = event.uint();
        if (opcode === readyEvent) done.resolve({ ...offered, upsideDown: false, turn });
        if (opcode === failedEvent) done.reject(failed());
      });
      const buffer = bufferFor(offered);
      wayland.request(session, createFrame, frame);
      wayland.request(frame, attachBuffer, buffer);
      wayland.request(frame, damageBuffer, 0, 0, size.width, size.height);
      wayland.request(frame, capture);
    };
    const source = wayland.create(() => {});
    wayland.request(sources, createSource, source, output.id);
    const session = wayland.create((opcode, event) => {
      if (opcode === sizeEvent) Object.assign(size, { width: event.uint(), height: event.uint() });
      if (opcode === formatEvent) {
        const received = event.uint();
        if (knows(received) === null) refused = received;
        else format ??= received;
      }
      if (opcode === stoppedEvent) done.reject(failed());
      if (opcode !== doneEvent || isStarted) return;
      isStarted = true;
      try {
        start();
      } catch (error) {
        done.reject(error);
      }
    });
    wayland.request(manager, createSession, session, source, options);
  };
}

const failed = () => new NoScreenCopy('the compositor did not copy this display: it was switched off or removed');

const strange = (format: number | null) =>
  new NoScreenCopy(
    format === null
      ? 'the compositor offers no picture in memory'
      : `the compositor offers pixels in an unknown format (${format.toString(16)})`,
  );
