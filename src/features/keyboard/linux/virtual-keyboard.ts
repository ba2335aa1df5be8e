import fs from 'node:fs';
import { openWayland, type Wayland } from '@hostler/wayland/connection.ts';
import { createDescriptorConnect, type DescriptorConnect } from '../../../host/linux/descriptor-socket.ts';
import type { Scratch } from '../../../host/scratch.ts';
import type { Clock } from '../../../lib/clock.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import type { KeyPresser } from './keyboard.presser.ts';
import { createKeyboardLayout } from './virtual-keyboard.layout.ts';

const getRegistry = 1;
const bind = 0;
const createKeyboard = 0;
const setKeymap = 0;
const key = 1;
const modifiers = 2;
const destroy = 3;
const textFormat = 1;

/** Modifier bits that every keymap has. */
const masks = new Map([
  [0xffe1, 1],
  [0xffe2, 1],
  [0xffe3, 4],
  [0xffe4, 4],
  [0xffe9, 8],
  [0xffea, 8],
  [0xffeb, 64],
]);

/** A virtual keyboard beside the user's, with a layout of the needed characters. https://wayland.app/protocols/virtual-keyboard-unstable-v1: sway, Hyprland, river, Wayfire, labwc and others have it. */
export async function openVirtualKeyboard(
  { clock, scratch }: { clock: Clock; scratch: Scratch },
  socket: string,
  timeoutMs: number,
): Promise<KeyPresser> {
  const sockets = createDescriptorConnect({ receives: false });
  const wayland = await openWayland(sockets.connect, clock, { socket, timeoutMs });
  return await closedOnFailure(wayland, async () => {
    const keyboard = await makeKeyboard(wayland);
    return presserOn(wayland, keyboard, { sockets, scratch, clock });
  });
}

/** Throws if the compositor lacks the protocol; creates no keyboard. */
export async function checkVirtualKeyboard(clock: Clock, socket: string, timeoutMs: number): Promise<void> {
  const sockets = createDescriptorConnect({ receives: false });
  const wayland = await openWayland(sockets.connect, clock, { socket, timeoutMs });
  try {
    await bindForKeyboard(wayland);
  } finally {
    wayland.close();
  }
}

async function makeKeyboard(wayland: Wayland): Promise<number> {
  const { manager, seat } = await bindForKeyboard(wayland);
  const keyboard = wayland.create(() => {});
  wayland.request(manager, createKeyboard, seat, keyboard);
  await wayland.sync();
  return keyboard;
}

/** Throws if the compositor lacks one of them. */
async function bindForKeyboard(wayland: Wayland): Promise<{ manager: number; seat: number }> {
  const globals = new Map<string, number>();
  const registry = wayland.create((opcode, event) => {
    if (opcode !== 0) return;
    const name = event.uint();
    const kind = event.text();
    if (!globals.has(kind)) globals.set(kind, name);
  });
  wayland.request(1, getRegistry, registry);
  await wayland.sync();
  const bound = (kind: string): number => {
    const name = globals.get(kind);
    if (name === undefined) throw new Error(`the compositor does not offer ${kind}`);
    const id = wayland.create(() => {});
    wayland.request(registry, bind, name, kind, 1, id);
    return id;
  };
  const manager = bound('zwp_virtual_keyboard_manager_v1');
  return { manager, seat: bound('wl_seat') };
}

interface Parts {
  sockets: DescriptorConnect;
  scratch: Scratch;
  clock: Clock;
}

function presserOn(wayland: Wayland, keyboard: number, { sockets, scratch, clock }: Parts): KeyPresser {
  const layout = createKeyboardLayout();
  let held = 0;
  const now = () => Math.round(clock.monotonic()) >>> 0;
  const send = (keysym: number, isDown: boolean) => {
    const code = layout.codeOf(keysym);
    if (code === null) return;
    wayland.request(keyboard, key, now(), code, isDown ? 1 : 0);
    const mask = masks.get(keysym);
    if (mask === undefined) return;
    held = isDown ? held | mask : held & ~mask;
    wayland.request(keyboard, modifiers, held, 0, 0, 0);
  };
  const load = () => {
    const text = Buffer.from(`${layout.text()}\0`);
    const file = scratch.put(text, '.xkb');
    const descriptor = fs.openSync(file, 'r');
    try {
      sockets.attach(descriptor);
      wayland.request(keyboard, setKeymap, textFormat, text.length);
    } finally {
      fs.closeSync(descriptor);
      scratch.remove(file);
    }
  };
  return {
    async prepare(keysyms) {
      if (layout.add(keysyms)) {
        load();
        await wayland.sync();
      }
      return keysyms.length;
    },
    down: (keysym) => send(keysym, true),
    up: (keysym) => send(keysym, false),
    settle: () => wayland.sync(),
    async close() {
      try {
        wayland.request(keyboard, destroy);
        await wayland.sync();
      } finally {
        wayland.close();
      }
    },
  };
}
