import { type Clock, interruptibleSleep } from '../../../lib/clock.ts';

export interface KeyPresser {
  /** Whether one of these can never be pressed; missing where all can. */
  lacks?(keysyms: readonly number[]): Promise<boolean>;
  /** Makes keys available: returns how many of these, from the first on, can be pressed now. 0: call again. */
  prepare(keysyms: readonly number[]): Promise<number>;
  /** In the order of the calls. The key must have been prepared. */
  down(keysym: number): void;
  up(keysym: number): void;
  /** Resolves when the desktop has processed all keys. */
  settle(): Promise<void>;
  /** Whether the user holds Escape; missing where it is unknown. */
  isEscapeDown?(): Promise<boolean>;
  /** Returns borrowed key codes, and disconnects. */
  close(): Promise<void>;
}

/** The desktop cannot press this key, as opposed to a failure. */
export class LackingKey extends Error {
  override readonly name = 'LackingKey';
}

/** The user pressed Escape to stop typing. */
export class EscapePressed extends Error {
  override readonly name = 'EscapePressed';
}

export type Strokes = ReturnType<typeof strokesOn>;

/** Keys sent before waiting for the desktop, because programs have bounded queues. */
const keysAtOnce = 32;
/** Shortest key press, ms. */
const checkEveryMs = 50;

/** A key that went down goes up again, also after a failure. */
export function strokesOn(presser: KeyPresser, clock: Clock) {
  const wait = (ms: number, signal: AbortSignal) =>
    ms > 0 ? interruptibleSleep(clock, ms, signal) : Promise.resolve();
  /** Checked between characters: our text contains no Escape, so it is the user's. */
  const pause = async (ms: number, signal: AbortSignal) => {
    for (let left = ms; ; left -= checkEveryMs) {
      if ((await presser.isEscapeDown?.()) === true) throw new EscapePressed('Escape was pressed at the machine');
      if (left <= 0) return;
      await wait(presser.isEscapeDown === undefined ? left : Math.min(left, checkEveryMs), signal);
      if (presser.isEscapeDown === undefined) return;
    }
  };
  return {
    /** Modifiers held while it is pressed. */
    async press(keysym: number, held: readonly number[], holdMs: number, signal: AbortSignal) {
      const all = [...held, keysym];
      await refuseLacking(presser, all);
      await prepareAll(presser, all);
      signal.throwIfAborted();
      const pressed: number[] = [];
      try {
        for (const one of all) {
          presser.down(one);
          pressed.unshift(one);
        }
        await wait(holdMs, signal);
      } finally {
        for (const one of pressed) presser.up(one);
        await presser.settle();
      }
    },
    async type(keysyms: readonly number[], delayMs: number, signal: AbortSignal) {
      await refuseLacking(presser, keysyms);
      for (let at = 0; at < keysyms.length; ) {
        const ready = await presser.prepare(keysyms.slice(at, at + (delayMs > 0 ? 1 : keysAtOnce)));
        // Preparing may last as long as a prompt of the desktop.
        signal.throwIfAborted();
        try {
          for (const keysym of keysyms.slice(at, at + ready)) {
            presser.down(keysym);
            presser.up(keysym);
          }
        } finally {
          await presser.settle();
        }
        at += ready;
        if (at < keysyms.length) await pause(delayMs, signal);
      }
    },
  };
}

/** A text that could be typed only in part is refused. */
async function refuseLacking(presser: KeyPresser, keysyms: readonly number[]): Promise<void> {
  if ((await presser.lacks?.(keysyms)) !== true) return;
  throw new LackingKey('this desktop types only what its keyboard layout has, and it lacks a key for some of this');
}

const tries = 5;

async function prepareAll(presser: KeyPresser, keysyms: number[]): Promise<void> {
  for (let tried = 0; tried < tries; tried += 1) if ((await presser.prepare(keysyms)) === keysyms.length) return;
  throw new Error('the keyboard has no room for so many keys at once');
}
