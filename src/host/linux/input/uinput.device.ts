import fs from 'node:fs';
import { address, pinned } from '../../ffi.ts';
import { libc } from '../libc.ts';

/** A virtual keyboard or pointer of the kernel. https://docs.kernel.org/input/uinput.html */
export type UinputDevice = ReturnType<typeof openUinputDevice>;

const file = '/dev/uinput';
const UI_SET_EVBIT = 0x4004_5564;
const UI_SET_KEYBIT = 0x4004_5565;
const UI_SET_RELBIT = 0x4004_5566;
const UI_SET_ABSBIT = 0x4004_5567;
const UI_ABS_SETUP = 0x401c_5504;
const UI_DEV_SETUP = 0x405c_5503;
const UI_DEV_CREATE = 0x5501;
const UI_DEV_DESTROY = 0x5502;
const EV_KEY = 1;
const EV_REL = 2;
const EV_ABS = 3;
const BUS_VIRTUAL = 6;
const setupBytes = 92;
const axisBytes = 28;
const eventBytes = 24;

/** Capabilities of a device, by the kernel's numbers. */
export interface UinputAbilities {
  keys: readonly number[];
  relative?: readonly number[];
  /** From 0 to `most`. */
  absolute?: readonly { code: number; most: number }[];
}

/** Throws with the missing permission or file. */
export function openUinputDevice(name: string, abilities: UinputAbilities) {
  const { keys, relative = [], absolute = [] } = abilities;
  const descriptor = openDevice();
  const order = (request: number, argument: number) => {
    if (libc.ioctl(descriptor, BigInt(request), BigInt(argument)) >= 0) return;
    fs.closeSync(descriptor);
    throw new Error(`${file} refused to create a device`);
  };
  order(UI_SET_EVBIT, EV_KEY);
  for (const code of keys) order(UI_SET_KEYBIT, code);
  if (relative.length > 0) order(UI_SET_EVBIT, EV_REL);
  for (const code of relative) order(UI_SET_RELBIT, code);
  if (absolute.length > 0) order(UI_SET_EVBIT, EV_ABS);
  for (const { code, most } of absolute) {
    order(UI_SET_ABSBIT, code);
    const axis = pinned(axisBytes);
    const view = new DataView(axis.buffer);
    view.setUint16(0, code, true);
    view.setInt32(12, most, true);
    order(UI_ABS_SETUP, Number(address(axis)));
  }
  const setup = pinned(setupBytes);
  new DataView(setup.buffer).setUint16(0, BUS_VIRTUAL, true);
  setup.set(Buffer.from(name).subarray(0, 79), 8);
  order(UI_DEV_SETUP, Number(address(setup)));
  order(UI_DEV_CREATE, 0);
  const event = new Uint8Array(eventBytes);
  const view = new DataView(event.buffer);
  return {
    /** One event as drivers send them. */
    send(type: number, code: number, value: number) {
      view.setUint16(16, type, true);
      view.setUint16(18, code, true);
      view.setInt32(20, value, true);
      fs.writeSync(descriptor, event);
    },
    /** Releases all pressed keys. */
    close() {
      libc.ioctl(descriptor, BigInt(UI_DEV_DESTROY), 0n);
      fs.closeSync(descriptor);
    },
  };
}

/** Throws where this process may not create a device, without creating one. */
export function checkUinput(): void {
  fs.closeSync(openDevice());
}

function openDevice(): number {
  try {
    return fs.openSync(file, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  } catch {
    throw new Error(
      `${file} does not exist or cannot be written. The packages do not grant it, because every program of the user could then type and click; an administrator can grant it with a udev rule`,
    );
  }
}
