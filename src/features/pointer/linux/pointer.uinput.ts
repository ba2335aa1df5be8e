import type { UinputAbilities, UinputDevice } from '../../../host/linux/input/uinput.device.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { buttonCodes, desktopBox, inDesktop, type PointerMover } from './pointer.mover.ts';
import type { PointerDesktop } from './pointer.session.ts';

const EV_SYN = 0;
const EV_KEY = 1;
const EV_REL = 2;
const EV_ABS = 3;
const REL_X = 0;
const REL_Y = 1;
const REL_HWHEEL = 6;
const REL_WHEEL = 8;
const ABS_X = 0;
const ABS_Y = 1;
/** Time from creating a device to the first event that a desktop accepts, ms. */
const wakeMs = 700;
/** The range of the device for the whole desktop, on both axes. */
const steps = 65_535;

const buttons = Object.values(buttonCodes);
const mouse: UinputAbilities = { keys: buttons, relative: [REL_X, REL_Y, REL_HWHEEL, REL_WHEEL] };
/** Like those of virtual machines: a tablet sends absolute positions, which a mouse cannot. */
const tablet: UinputAbilities = {
  keys: buttons,
  absolute: [
    { code: ABS_X, most: steps },
    { code: ABS_Y, most: steps },
  ],
};

/** Devices that the kernel treats as real ones; each is created on first use. */
export function moverOnUinput(
  make: (name: string, abilities: UinputAbilities) => UinputDevice,
  clock: Clock,
  desktop: Pick<PointerDesktop, 'displays' | 'known' | 'close' | 'wayland'>,
): PointerMover {
  const made = new Map<UinputAbilities, UinputDevice>();
  const device = async (abilities: UinputAbilities) => {
    const known = made.get(abilities);
    if (known !== undefined) return known;
    const fresh = make(abilities === mouse ? 'Hostler pointer' : 'Hostler places', abilities);
    made.set(abilities, fresh);
    await sleep(clock, wakeMs);
    return fresh;
  };
  const send = async (
    abilities: UinputAbilities,
    events: [type: number, code: number, value: number][],
    signal?: AbortSignal,
  ) => {
    const to = await device(abilities);
    signal?.throwIfAborted();
    for (const [type, code, value] of events) to.send(type, code, value);
    to.send(EV_SYN, 0, 0);
  };
  return {
    displays: desktop.displays,
    async moveTo(display, x, y, signal) {
      const box = desktopBox(desktop.known());
      const at = inDesktop(display, x, y);
      const place: [number, number, number][] = [
        [EV_ABS, ABS_X, Math.round(((at.x - box.x) / box.width) * steps)],
        [EV_ABS, ABS_Y, Math.round(((at.y - box.y) / box.height) * steps)],
      ];
      await send(tablet, place, signal);
    },
    moveBy: (dx, dy, signal) =>
      send(
        mouse,
        [
          [EV_REL, REL_X, Math.round(dx)],
          [EV_REL, REL_Y, Math.round(dy)],
        ],
        signal,
      ),
    button: (button, isDown, signal) => send(mouse, [[EV_KEY, buttonCodes[button], isDown ? 1 : 0]], signal),
    // For the kernel, up is positive.
    scroll: (dx, dy, signal) =>
      send(
        mouse,
        [
          [EV_REL, REL_WHEEL, -dy],
          [EV_REL, REL_HWHEEL, dx],
        ],
        signal,
      ),
    async settle() {
      await desktop.wayland.sync();
      // Time for the desktop to read the events; it cannot be queried.
      await sleep(clock, 5);
    },
    async close() {
      for (const one of made.values()) one.close();
      made.clear();
      desktop.close();
    },
  };
}
