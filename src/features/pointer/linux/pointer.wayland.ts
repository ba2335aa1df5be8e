import type { Clock } from '../../../lib/clock.ts';
import { buttonCodes, desktopBox, inDesktop, type PointerMover } from './pointer.mover.ts';
import type { PointerDesk } from './pointer.session.ts';

const createPointer = 0;
const motion = 0;
const motionAbsolute = 1;
const button = 2;
const frame = 4;
const axisSource = 5;
const axisDiscrete = 7;
const destroy = 8;
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
export async function openVirtualPointerMover(desk: PointerDesk, clock: Clock): Promise<PointerMover> {
  const { wayland } = desk;
  const manager = virtualPointers(desk);
  const pointer = await desk.withNew(async () => {
    const id = wayland.create(() => {});
    wayland.request(manager, createPointer, desk.seat ?? 0, id);
    await wayland.sync();
    return id;
  });
  const now = () => Math.round(clock.monotonic()) >>> 0;
  const send = (opcode: number, ...values: number[]) => {
    wayland.request(pointer, opcode, now(), ...values);
    wayland.request(pointer, frame);
  };
  return {
    displays: desk.displays,
    async moveTo(display, x, y) {
      const box = desktopBox(desk.known());
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
        desk.close();
      }
    },
  };
}

/** What makes them; nothing is made yet. Throws where the compositor has none. */
export function virtualPointers({ globals }: PointerDesk): number {
  const kind = 'zwlr_virtual_pointer_manager_v1';
  const manager = globals.bind(kind, 1);
  if (manager === null) throw new Error(`the compositor does not offer ${kind}`);
  return manager;
}
