import fs from 'node:fs';
import { address, pinned } from '../../ffi.ts';
import { openLibc } from '../libc.ts';

/** A keyboard that the kernel takes for a real one. https://docs.kernel.org/input/uinput.html */
export interface UinputDevice {
  /** One event as drivers send them. */
  send(type: number, code: number, value: number): void;
  /** Whatever is still down goes up with it. */
  close(): void;
}

const file = '/dev/uinput';
const UI_SET_EVBIT = 0x4004_5564;
const UI_SET_KEYBIT = 0x4004_5565;
const UI_DEV_SETUP = 0x405c_5503;
const UI_DEV_CREATE = 0x5501;
const UI_DEV_DESTROY = 0x5502;
const EV_KEY = 1;
const BUS_VIRTUAL = 6;
const setupBytes = 92;
const eventBytes = 24;

/** Throws with what is missing. */
export function openUinputDevice(name: string, codes: readonly number[]): UinputDevice {
  const { ioctl } = openLibc({ ioctl: { args: ['i32', 'u64', 'u64'], returns: 'i32' } });
  const descriptor = openDevice();
  const order = (request: number, argument: number) => {
    if (ioctl(descriptor, BigInt(request), BigInt(argument)) >= 0) return;
    fs.closeSync(descriptor);
    throw new Error(`${file} refused to make a keyboard`);
  };
  order(UI_SET_EVBIT, EV_KEY);
  for (const code of codes) order(UI_SET_KEYBIT, code);
  const setup = pinned(setupBytes);
  new DataView(setup.buffer).setUint16(0, BUS_VIRTUAL, true);
  setup.set(Buffer.from(name).subarray(0, 79), 8);
  order(UI_DEV_SETUP, Number(address(setup)));
  order(UI_DEV_CREATE, 0);
  const event = new Uint8Array(eventBytes);
  const view = new DataView(event.buffer);
  return {
    send(type, code, value) {
      view.setUint16(16, type, true);
      view.setUint16(18, code, true);
      view.setInt32(20, value, true);
      fs.writeSync(descriptor, event);
    },
    close() {
      ioctl(descriptor, BigInt(UI_DEV_DESTROY), 0n);
      fs.closeSync(descriptor);
    },
  };
}

/** Throws where nobody may make one, without making one. */
export function checkUinput(): void {
  fs.closeSync(openDevice());
}

function openDevice(): number {
  try {
    return fs.openSync(file, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  } catch {
    throw new Error(`${file} is not there or may not be written; a udev rule can give it to your user`);
  }
}
