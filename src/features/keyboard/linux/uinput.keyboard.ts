import type { UinputDevice } from '../../../host/linux/input/uinput.device.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { KeyPresser } from './keyboard.presser.ts';
import { evdevKeyOf, keyCodes } from './keysyms.evdev.ts';
import { shift } from './keysyms.ts';
import type { LayoutKeysyms } from './xkbcommon.ts';

const EV_SYN = 0;
const EV_KEY = 1;
/** Time from creating a keyboard to the first key that a desktop accepts, ms. */
const wakeMs = 700;

/** Keys by position, like a real keyboard: the desktop's layout gives them their meaning, so characters are pressed only if it is known. The device is created with the first key. */
export function presserOnUinput(
  make: (codes: readonly number[]) => UinputDevice,
  clock: Clock,
  readLayout: () => Promise<LayoutKeysyms | null>,
): KeyPresser {
  let device: UinputDevice | null = null;
  let layout: LayoutKeysyms | null = null;

  const start = async () => {
    if (device !== null) return;
    layout = await readLayout();
    device = make(keyCodes);
    await sleep(clock, wakeMs);
  };
  /** Keys without a character have the same position in all layouts. */
  const placeOf = (keysym: number) => {
    const usual = isCharacter(keysym) ? null : evdevKeyOf(keysym);
    if (usual !== null) return { code: usual.code, withShift: false };
    const key = layout?.get(keysym);
    const isPlain = key !== undefined && key.level <= 1 && key.isEverywhere && keyCodes.includes(key.code);
    return isPlain ? { code: key.code, withShift: key.level === 1 } : null;
  };
  const send = (keysym: number, isDown: boolean) => {
    const place = placeOf(keysym);
    const shiftCode = evdevKeyOf(shift)?.code;
    if (place === null || device === null || shiftCode === undefined) return;
    const codes = place.withShift ? [shiftCode, place.code] : [place.code];
    for (const code of isDown ? codes : codes.reverse()) {
      device.send(EV_KEY, code, isDown ? 1 : 0);
      device.send(EV_SYN, 0, 0);
    }
  };
  return {
    async lacks(keysyms) {
      await start();
      return keysyms.some((keysym) => placeOf(keysym) === null);
    },
    async prepare(keysyms) {
      await start();
      return keysyms.length;
    },
    down: (keysym) => send(keysym, true),
    up: (keysym) => send(keysym, false),
    // Time for the desktop to read the events; it cannot be queried.
    settle: () => sleep(clock, 5),
    async close() {
      device?.close();
      device = null;
    },
  };
}

const isCharacter = (keysym: number) =>
  (keysym > 0x20 && keysym < 0xff00) || (keysym >= 0x0100_0000 && keysym < 0x1000_0000);
