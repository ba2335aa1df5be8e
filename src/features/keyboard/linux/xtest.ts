import type { X11 } from '@hostler/x11/connection.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { KeyPresser } from './keyboard.presser.ts';
import { capsLock, escapeKey, shift } from './keysyms.ts';
import {
  type Keymap,
  type KeyPlace,
  keyPlaceOf,
  keysDown,
  readKeymap,
  setCapsLock,
  setKey,
  spareCodes,
} from './xtest.keymap.ts';

const fakeInput = 2;
const keyPress = 2;
const keyRelease = 3;
const getInputFocus = 43;

/** Programs look up a key when they read it, so its meaning must not change before, ms. */
const meaningLastsMs = 300;
/** Some programs apply a new mapping slightly after the key, ms. */
const noticeMs = 20;

interface Borrowed {
  keysym: number;
  usedAt: number;
}

/** What would remain in the server if this process were killed now. */
export type Noted = { pressed: number } | { borrowed: [code: number, keysym: number] } | { capsLock: boolean };

export interface Notes {
  note(entry: Noted): void;
  clear(): void;
}

export async function openFakeInput(x11: X11) {
  const extension = await x11.extension('XTEST');
  if (extension === null) throw new Error('the X server has no XTEST extension');
  const send = (kind: number, code: number) => {
    const content = Buffer.alloc(32);
    content.writeUInt8(kind, 0);
    content.writeUInt8(code, 1);
    x11.send(extension.opcode, fakeInput, content);
  };
  return {
    press: (code: number) => send(keyPress, code),
    release: (code: number) => send(keyRelease, code),
    /** Resolves when the server has processed everything. */
    taken: async () => void (await x11.ask(getInputFocus, 0)),
  };
}

/** Presses keys of an X server through XTEST. Characters missing from the layout get an unused key code. */
export async function openXtest(x11: X11, clock: Clock, { note, clear }: Notes): Promise<KeyPresser> {
  const { press, release, taken } = await openFakeInput(x11);
  const noted = new Set<number>();
  let escapeCode: number | null = null;
  const borrowed = new Map<number, Borrowed>();
  const places = new Map<number, KeyPlace>();
  const shiftsFor = new Set<number>();
  let capsLockWasOn = false;

  const settle = async () => {
    if (capsLockWasOn) {
      await setCapsLock(x11, true);
      note({ capsLock: true });
    }
    capsLockWasOn = false;
    await taken();
  };
  const notePressed = (code: number) => {
    if (!noted.has(code)) note({ pressed: code });
    noted.add(code);
  };

  /** Another layout may have replaced the borrowed mapping. */
  const forgetLost = ({ rows, first }: Keymap) => {
    for (const [code, { keysym }] of borrowed) if (rows[code - first]?.[0] !== keysym) borrowed.delete(code);
  };

  /** null: every key code has a meaning that may not have been read yet. */
  const borrow = (keymap: Keymap, keysym: number): number | null => {
    const now = clock.monotonic();
    for (const [code, entry] of borrowed) if (entry.keysym === keysym) return code;
    const free = spareCodes(keymap).find((code) => !borrowed.has(code));
    const [oldest] = [...borrowed].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (free === undefined && oldest === undefined) throw new Error('the keyboard layout leaves no key code free');
    if (free === undefined && oldest !== undefined && now - oldest[1].usedAt < meaningLastsMs) return null;
    return free ?? oldest?.[0] ?? null;
  };

  return {
    async prepare(keysyms) {
      const keymap = await readKeymap(x11);
      forgetLost(keymap);
      if (keymap.capsLock && !keysyms.includes(capsLock)) {
        capsLockWasOn = true;
        note({ capsLock: false });
        await setCapsLock(x11, false);
      }
      const shiftPlace = keyPlaceOf(keymap, shift);
      escapeCode = keyPlaceOf(keymap, escapeKey)?.code ?? null;
      places.clear();
      let ready = 0;
      let changed = false;
      for (const keysym of keysyms) {
        const place = keyPlaceOf(keymap, keysym);
        if (place !== null && (!place.withShift || shiftPlace !== null)) places.set(keysym, place);
        else {
          const code = borrow(keymap, keysym);
          if (code === null) break;
          const isNew = borrowed.get(code)?.keysym !== keysym;
          if (isNew) note({ borrowed: [code, keysym] });
          if (isNew) setKey(x11, code, keysym);
          changed ||= isNew;
          borrowed.set(code, { keysym, usedAt: clock.monotonic() });
          places.set(keysym, { code, withShift: false });
        }
        ready += 1;
      }
      if (shiftPlace !== null) places.set(shift, shiftPlace);
      for (const { code } of places.values()) notePressed(code);
      if (changed) await taken();
      if (changed) await sleep(clock, noticeMs);
      if (ready === 0) await sleep(clock, meaningLastsMs);
      return ready;
    },
    down(keysym) {
      const place = places.get(keysym);
      if (place === undefined) return;
      const lent = borrowed.get(place.code);
      if (lent !== undefined) lent.usedAt = clock.monotonic();
      const shiftCode = places.get(shift)?.code;
      if (place.withShift && shiftCode !== undefined) {
        shiftsFor.add(keysym);
        press(shiftCode);
      }
      press(place.code);
    },
    up(keysym) {
      const place = places.get(keysym);
      if (place === undefined) return;
      release(place.code);
      const shiftCode = places.get(shift)?.code;
      if (shiftsFor.delete(keysym) && shiftCode !== undefined) release(shiftCode);
    },
    settle,
    isEscapeDown: async () => escapeCode !== null && (await keysDown(x11)).has(escapeCode),
    async close() {
      try {
        const last = Math.max(0, ...[...borrowed.values()].map(({ usedAt }) => usedAt));
        const left = last + meaningLastsMs - clock.monotonic();
        if (borrowed.size > 0 && left > 0) await sleep(clock, left);
        for (const code of borrowed.keys()) setKey(x11, code, 0);
        if (borrowed.size > 0) await settle();
        clear();
      } finally {
        x11.close();
      }
    },
  };
}
