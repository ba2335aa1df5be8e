import type { Clock } from '../../../lib/clock.ts';
import { buttonCodes, desktopBox, inDesktop, type PointerMover } from './pointer.mover.ts';
import type { PointerDesktop } from './pointer.session.ts';

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
/** The value of most mice for one wheel step. */
const stepLength = 15;
/** Positions are fractions of the whole, much finer than a pixel. */
const fine = 64;

const fixed = (value: number) => Math.round(value * 256);

/** A virtual pointer beside the user's. https://wayland.app/protocols/wlr-virtual-pointer-unstable-v1: sway, Hyprland, river, Wayfire, labwc and others have it. */
export async function openVirtualPointerMover(desktop: PointerDesktop, clock: Clock): Promise<PointerMover> {
  const { wayland } = desktop;
  const manager = virtualPointers(desktop);
  const pointer = await desktop.withNew(async () => {
    const id = wayland.create(() => {});
    wayland.request(manager, createPointer, desktop.seat ?? 0, id);
    await wayland.sync();
    return id;
  });
  const now = () => Math.round(clock.monotonic()) >>> 0;
  const send = (opcode: number, ...values: number[]) => {
    wayland.request(pointer, opcode, now(), ...values);
    wayland.request(pointer, frame);
  };
  return {
    displays: desktop.displays,
    async moveTo(display, x, y) {
      const box = desktopBox(desktop.known());
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
        desktop.close();
      }
    },
  };
}

/** The pointer factory; creates none yet. Throws if the compositor lacks the protocol. */
export function virtualPointers({ globals }: PointerDesktop): number {
  const kind = 'zwlr_virtual_pointer_manager_v1';
  const manager = globals.bind(kind, 1);
  if (manager === null) throw new Error(`the compositor does not offer ${kind}`);
  return manager;
}
