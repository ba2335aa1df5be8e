import type { X11, X11Extension } from '@hostler/x11/connection.ts';
import { isOnNumberBlock } from './keysyms.ts';

export interface Keymap {
  /** Keysyms of each key, from the lowest key code on. */
  rows: number[][];
  first: number;
  group: number;
  capsLock: boolean;
}

export interface KeyPlace {
  code: number;
  withShift: boolean;
}

const getKeyboardMapping = 101;
const queryKeymap = 44;
const changeKeyboardMapping = 100;
const useExtension = 0;
const getState = 4;
const latchLockState = 5;
/** 256: the core keyboard that programs see. */
const coreKeyboard = [0, 1];
const lockMask = 2;

export async function readKeymap(x11: X11): Promise<Keymap> {
  const [first, last] = x11.keyCodes;
  const count = last - first + 1;
  const [reply, state] = await Promise.all([
    x11.ask(getKeyboardMapping, 0, Uint8Array.from([first, count, 0, 0])),
    readState(x11),
  ]);
  const width = reply[1] ?? 0;
  const rows = Array.from({ length: count }, (_, row) =>
    Array.from({ length: width }, (_, column) => reply.readUInt32LE(32 + 4 * (row * width + column))),
  );
  return { rows, first, ...state };
}

/** Every server since 2009 has the extension; without it there is one layout. */
async function readState(x11: X11): Promise<Pick<Keymap, 'group' | 'capsLock'>> {
  const xkb = await openXkb(x11);
  if (xkb === null) return { group: 0, capsLock: false };
  const state = await x11.ask(xkb.opcode, getState, Uint8Array.from([...coreKeyboard, 0, 0]));
  return { group: state[12] ?? 0, capsLock: ((state[11] ?? 0) & lockMask) !== 0 };
}

async function openXkb(x11: X11): Promise<X11Extension | null> {
  const xkb = await x11.extension('XKEYBOARD');
  if (xkb !== null) await x11.ask(xkb.opcode, useExtension, Uint8Array.from([1, 0, 0, 0]));
  return xkb;
}

/** While Caps Lock is on, programs capitalise all keys, borrowed ones included. It is turned off without a key press. */
export async function setCapsLock(x11: X11, on: boolean): Promise<void> {
  const xkb = await openXkb(x11);
  const content = [...coreKeyboard, lockMask, on ? lockMask : 0, 0, 0, 0, 0, 0, 0, 0, 0];
  if (xkb !== null) x11.send(xkb.opcode, latchLockState, Uint8Array.from(content));
}

export async function keysDown(x11: X11): Promise<Set<number>> {
  const reply = await x11.ask(queryKeymap, 0);
  const codes = Array.from({ length: 256 }, (_, code) => code);
  return new Set(codes.filter((code) => ((reply[8 + (code >> 3)] ?? 0) & (1 << (code & 7))) !== 0));
}

/** null: not in the layout, or not reachable with plain and Shift. */
export function keyPlaceOf({ rows, first, group }: Keymap, keysym: number): KeyPlace | null {
  // The third level and further layouts use borrowed key codes, which do not depend on modifiers.
  if (group > 1 || isOnNumberBlock(keysym)) return null;
  for (const [index, row] of rows.entries()) {
    const columns = columnsOf(row, group);
    const column = columns.indexOf(keysym);
    if (column !== -1 && columns[0] !== 0) return { code: first + index, withShift: column === 1 };
  }
  return null;
}

/** Plain and with Shift. A key with a single layout has the same in all. */
function columnsOf(row: number[], group: number): [number, number] {
  const other = group === 1 && row[2] !== 0;
  return other ? [row[2] ?? 0, row[3] ?? 0] : [row[0] ?? 0, row[1] ?? 0];
}

/** Key codes without a keysym in this layout. */
export function spareCodes({ rows, first }: Keymap): number[] {
  return rows.flatMap((row, index) => (row.every((keysym) => keysym === 0) ? [first + index] : []));
}

/** The same with Shift and without; 0: none. */
export function setKey(x11: X11, code: number, keysym: number): void {
  const content = Buffer.alloc(12);
  content.writeUInt8(code, 0);
  content.writeUInt8(2, 1);
  content.writeUInt32LE(keysym, 4);
  content.writeUInt32LE(keysym, 8);
  x11.send(changeKeyboardMapping, 1, content);
}
