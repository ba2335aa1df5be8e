import fs from 'node:fs';
import { openWayland } from '@hostler/wayland/connection.ts';
import { createDescriptorConnect } from '../../../host/linux/descriptor-socket.ts';
import { type Clock, settledWithin } from '../../../lib/clock.ts';
import { type LayoutKeysyms, readLayout } from './xkbcommon.ts';

const getRegistry = 1;
const bind = 0;
const getKeyboard = 1;
const hasKeyboard = 2;
const largestKeymap = 1024 * 1024;

/** The user's keyboard layout as text, from a Wayland compositor. null: no keyboard, or not reported. */
async function readWaylandKeymap(clock: Clock, socket: string, timeoutMs: number): Promise<Uint8Array | null> {
  const sockets = createDescriptorConnect({ receives: true });
  const wayland = await openWayland(sockets.connect, clock, { socket, timeoutMs });
  try {
    let seatName: number | null = null;
    let abilities = 0;
    let keymap: Promise<Uint8Array | null> = Promise.resolve(null);
    const registry = wayland.create((opcode, event) => {
      const name = event.uint();
      if (opcode === 0 && event.text() === 'wl_seat') seatName ??= name;
    });
    wayland.request(1, getRegistry, registry);
    await wayland.sync();
    if (seatName === null) return null;
    const seat = wayland.create((opcode, event) => {
      if (opcode === 0) abilities = event.uint();
    });
    wayland.request(registry, bind, seatName, 'wl_seat', 1, seat);
    await wayland.sync();
    if ((abilities & hasKeyboard) === 0) return null;
    const keyboard = wayland.create((opcode, event) => {
      if (opcode !== 0) return;
      event.uint();
      keymap = keymapIn(clock, sockets.take(), event.uint(), timeoutMs);
    });
    wayland.request(seat, getKeyboard, keyboard);
    await wayland.sync();
    return await keymap;
  } finally {
    for (let left = sockets.take(); left !== null; left = sockets.take()) closeLater(left);
    wayland.close();
  }
}

/** Not waited for: reading and closing block where a compositor sends a file of a file system that does not answer. */
const closeLater = (descriptor: number) => fs.close(descriptor, () => {});

/** null: it cannot be read, or not in time. */
export async function keymapIn(
  clock: Clock,
  descriptor: number | null,
  size: number,
  timeoutMs: number,
): Promise<Uint8Array | null> {
  if (descriptor === null) return null;
  const bytes = new Uint8Array(Math.min(size, largestKeymap));
  let got = 0;
  const reading = new Promise<void>((resolve) => {
    fs.read(descriptor, bytes, 0, bytes.length, 0, (error, length) => {
      got = error === null ? length : 0;
      closeLater(descriptor);
      resolve();
    });
  });
  if (!(await settledWithin(clock, reading, timeoutMs)) || got === 0) return null;
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? got : Math.min(got, end));
}

/** The characters that the keyboard of a Wayland session can type. null: unknown. */
export async function readWaylandLayout(
  clock: Clock,
  socket: string,
  timeoutMs: number,
): Promise<LayoutKeysyms | null> {
  try {
    const keymap = await readWaylandKeymap(clock, socket, timeoutMs);
    return keymap === null ? null : readLayout(keymap);
  } catch {
    return null;
  }
}
