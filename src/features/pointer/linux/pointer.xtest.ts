import type { X11 } from '@hostler/x11/connection.ts';
import { openRandr } from '@hostler/x11/randr.ts';
import { LackingPointer, type PointerButton, type PointerDisplay, type PointerMover } from './pointer.mover.ts';

const fakeInput = 2;
const buttonPress = 4;
const buttonRelease = 5;
const motion = 6;
const getInputFocus = 43;
const getPointerMapping = 117;
const wheel = { up: 4, down: 5, left: 6, right: 7 };
const numbers: Record<PointerButton, number> = { left: 1, middle: 2, right: 3 };

/** The pointer of an X server, through XTEST. */
export async function openXtestPointer(x11: X11): Promise<PointerMover> {
  const extension = await x11.extension('XTEST');
  if (extension === null) throw new Error('the X server has no XTEST extension');
  const randr = await openRandr(x11);
  let known: PointerDisplay[] | null = null;
  randr?.follow(() => {
    known = null;
  });
  let mapping: Buffer = Buffer.alloc(0);

  const send = (kind: number, detail: number, x = 0, y = 0) => {
    const content = Buffer.alloc(32);
    content.writeUInt8(kind, 0);
    content.writeUInt8(detail, 1);
    content.writeInt16LE(Math.round(x), 20);
    content.writeInt16LE(Math.round(y), 22);
    x11.send(extension.opcode, fakeInput, content);
  };
  /** For users who swapped the buttons: XTEST presses by position, and callers mean the function. */
  const placeOf = (number: number) => {
    const at = mapping.indexOf(number);
    return at === -1 ? number : at + 1;
  };
  const turn = (number: number, steps: number) => {
    for (let step = 0; step < steps; step += 1) {
      send(buttonPress, number);
      send(buttonRelease, number);
    }
  };
  return {
    async displays() {
      if (randr === null) throw new LackingPointer('the X server lacks RandR 1.3, which lists its displays');
      // Pending changes arrive before the reply.
      if (known !== null) await x11.ask(getInputFocus, 0);
      known ??= (await randr.monitors()).map(({ name, x, y, width, height }) => ({
        id: name,
        x,
        y,
        width,
        height,
        pixelWidth: width,
        pixelHeight: height,
      }));
      return known;
    },
    async moveTo(display, x, y) {
      send(motion, 0, display.x + Math.floor(x), display.y + Math.floor(y));
    },
    async moveBy(dx, dy) {
      send(motion, 1, dx, dy);
    },
    async button(button, isDown, signal) {
      if (isDown) {
        const reply = await x11.ask(getPointerMapping, 0);
        mapping = reply.subarray(32, 32 + (reply[1] ?? 0));
        signal?.throwIfAborted();
      }
      send(isDown ? buttonPress : buttonRelease, placeOf(numbers[button]));
    },
    async scroll(dx, dy) {
      turn(dy < 0 ? wheel.up : wheel.down, Math.abs(dy));
      turn(dx < 0 ? wheel.left : wheel.right, Math.abs(dx));
    },
    settle: async () => void (await x11.ask(getInputFocus, 0)),
    close: async () => x11.close(),
  };
}
