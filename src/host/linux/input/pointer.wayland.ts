import { type Clock, sleep } from '../../../lib/clock.ts';
import type { ConnectLocal } from '../../../lib/local-socket.ts';
import { openWayland, type Wayland } from '../../../protocols/wayland/connection.ts';
import { readGlobals } from '../../../protocols/wayland/globals.ts';
import { followOutputs, type WaylandOutputs } from '../../../protocols/wayland/outputs.ts';
import { buttonCodes, desktopBox, inDesktop, type PointerDisplay, type PointerMover } from './pointer.ts';

const createPointer = 0;
const motion = 0;
const motionAbsolute = 1;
const button = 2;
const frame = 4;
const axisSource = 5;
const axisDiscrete = 7;
const destroy = 8;
const hasPointer = 1;
/** Programs have to hear of the first pointer of a desktop before they look at it, ms. */
const wakeMs = 300;
const fromWheel = 0;
const vertical = 0;
const horizontal = 1;
/** What most mice send for a step of their wheel. */
const stepLength = 15;
/** Places are told as parts of the whole, in steps much finer than a pixel. */
const fine = 64;

const fixed = (value: number) => Math.round(value * 256);

/**
 * A pointer of our own beside that of the user. https://wayland.app/protocols/wlr-virtual-pointer-unstable-v1: sway, Hyprland, river, Wayfire,
 * labwc and others have it.
 */
export async function openVirtualPointerMover(
  { connectLocal, clock }: { connectLocal: ConnectLocal; clock: Clock },
  socket: string,
  timeoutMs: number,
): Promise<PointerMover> {
  const wayland = await openWayland(connectLocal, clock, { socket, timeoutMs });
  try {
    const kind = 'zwlr_virtual_pointer_manager_v1';
    const globals = await readGlobals(wayland);
    const manager = globals.bind(kind, 1);
    if (manager === null) throw new Error(`the compositor does not offer ${kind}`);
    let abilities = 0;
    const seat = globals.bind('wl_seat', 1, (opcode, event) => {
      if (opcode === 0) abilities = event.uint();
    });
    const outputs = await followOutputs(wayland, () => {});
    const pointer = wayland.create(() => {});
    const isFirst = (abilities & hasPointer) === 0;
    wayland.request(manager, createPointer, seat ?? 0, pointer);
    await wayland.sync();
    if (isFirst) await sleep(clock, wakeMs);
    return moverOn(wayland, pointer, outputs, clock);
  } catch (error) {
    wayland.close();
    throw error;
  }
}

function moverOn(wayland: Wayland, pointer: number, outputs: WaylandOutputs, clock: Clock): PointerMover {
  const now = () => Math.round(clock.monotonic()) >>> 0;
  const send = (opcode: number, ...values: number[]) => {
    wayland.request(pointer, opcode, now(), ...values);
    wayland.request(pointer, frame);
  };
  return {
    async displays() {
      // Changes that have happened are told before the answer.
      await wayland.sync();
      return waylandPointerDisplays(outputs);
    },
    async moveTo(display, x, y) {
      const box = desktopBox(waylandPointerDisplays(outputs));
      const at = inDesktop(display, x, y);
      const place = [at.x - box.x, at.y - box.y, box.width, box.height];
      send(motionAbsolute, ...place.map((value) => Math.round(value * fine)));
    },
    moveBy: async (dx, dy) => send(motion, fixed(dx), fixed(dy)),
    button: async (which, isDown) => send(button, buttonCodes[which], isDown ? 1 : 0),
    async scroll(dx, dy) {
      for (const [axis, steps] of [
        [vertical, dy],
        [horizontal, dx],
      ] as const) {
        if (steps === 0) continue;
        wayland.request(pointer, axisSource, fromWheel);
        send(axisDiscrete, axis, fixed(steps * stepLength), steps);
      }
    },
    settle: () => wayland.sync(),
    async close() {
      try {
        wayland.request(pointer, destroy);
        await wayland.sync();
      } finally {
        wayland.close();
      }
    },
  };
}

/** By the names that the module displays gives them. */
export function waylandPointerDisplays(outputs: Pick<WaylandOutputs, 'list'>): PointerDisplay[] {
  return outputs.list().flatMap((output, index) => {
    const { x, y, isTurned } = output;
    const [pixelWidth, pixelHeight] = isTurned ? [output.height, output.width] : [output.width, output.height];
    if (pixelWidth === 0 || pixelHeight === 0) return [];
    const [width, height] = [output.logicalWidth || pixelWidth, output.logicalHeight || pixelHeight];
    return [{ id: output.name ?? `wayland-${index}`, x, y, width, height, pixelWidth, pixelHeight }];
  });
}
