import type { ActionContext, ActionParts, ActionResult } from '../../core/action.ts';
import { contextOn } from '../../core/platform.ts';
import { type KeyPresser, LackingKey, type Strokes, strokesOn } from '../../host/linux/input/keyboard.ts';
import { type KeyboardHost, NoKeyboard, openKeyboard } from '../../host/linux/input/keyboard.ways.ts';
import { keysymOf, keysymsOfText } from '../../host/linux/input/keysyms.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { KeyboardControl } from './keyboard.contract.ts';
import type { KeyboardTextInput, KeyboardTextOutput, KeypressInput, KeypressOutput } from './keyboard.schema.ts';

export const keyboardLinux = (host: LinuxHost): KeyboardControl => ({
  unavailable: () => unavailable(host),
  keypress: (input, context) => keypress(input, contextOn(context, host)),
  text: (input, context) => text(input, contextOn(context, host)),
});

async function keypress(
  { key, modifiers, delay }: KeypressInput,
  { keep }: ActionContext<LinuxHost>,
): Promise<ActionResult<KeypressOutput>> {
  const keysym = keysymOf(key) ?? unknownKey(key);
  const held = (modifiers ?? []).map((modifier) => modifierOf(modifier));
  await keep(createTyping).use((strokes, signal) => strokes.press(keysym, held, delay ?? 0, signal));
  return { message: 'The key was pressed', data: { key, modifiers: modifiers ?? [] } };
}

async function text(
  { text: wanted, delay }: KeyboardTextInput,
  { keep }: ActionContext<LinuxHost>,
): Promise<ActionResult<KeyboardTextOutput>> {
  const keysyms = keysymsOfText(wanted.toWellFormed());
  if (keysyms === null) {
    throw new ServiceError('invalid', 'keyboard.text: text holds a control character that no key makes; leave it out');
  }
  if (keysyms.length > 0) {
    await keep(createTyping).use((strokes, signal) => strokes.type(keysyms, delay ?? 0, signal));
  }
  return { message: 'The text was typed', data: { characters: keysyms.length } };
}

async function unavailable(host: KeyboardHost): Promise<string | null> {
  try {
    await (await openKeyboard(host)).close();
    return null;
  } catch (error) {
    return `No keys can be pressed: ${messageOf(error)}`;
  }
}

function unknownKey(key: string): never {
  // One character may be part of a text that is typed key by key, which no log is to have.
  const name = [...key].length === 1 ? 'no such key' : `no key ${JSON.stringify(key)}`;
  throw new ServiceError('invalid', `keyboard.keypress: there is ${name}; keys are characters and names`, {
    subtype: 'BAD_REQUEST',
  });
}

function modifierOf(name: string): number {
  const keysym = name.length > 1 ? keysymOf(name) : null;
  // Shift, Control, CapsLock, Meta, Alt, Super and Hyper stand beside each other.
  if (keysym !== null && keysym >= 0xffe1 && keysym <= 0xffee) return keysym;
  const known = 'control, shift, alt, command, right_shift, right_control and right_alt';
  throw new ServiceError('invalid', `keyboard.keypress: ${JSON.stringify(name)} is no modifier; there are ${known}`);
}

/** A connection is kept for so long after the last key, ms. */
const idleMs = 5000;
/** Whoever sends faster than keys can be typed is told so. */
const mostWaiting = 100;

type Task = (strokes: Strokes, signal: AbortSignal) => Promise<void>;

/** One for the service: keys of two callers must not mix. */
function createTyping({ host }: ActionParts<LinuxHost>) {
  const stopping = new AbortController();
  let presser: KeyPresser | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let cancelIdle = () => {};

  const leave = async () => {
    cancelIdle();
    const leaving = presser;
    presser = null;
    await leaving?.close().catch(() => {});
  };
  const work = async (task: Task, again = true): Promise<void> => {
    cancelIdle();
    const kept = presser;
    let isTouched = false;
    try {
      stopping.signal.throwIfAborted();
      const opened = kept ?? (await openKeyboard(host));
      presser = opened;
      const down = (keysym: number) => {
        isTouched = true;
        opened.down(keysym);
      };
      await task(strokesOn({ ...opened, down }, host.clock), stopping.signal);
      cancelIdle = host.clock.after(idleMs, () => void inTurn(leave).catch(() => {}));
    } catch (cause) {
      await leave();
      // The desktop may have been restarted since the last key.
      const isStale = kept !== null && !isTouched && !stopping.signal.aborted && !(cause instanceof LackingKey);
      if (isStale && again) return await work(task, false);
      throw cause instanceof ServiceError ? cause : failure(cause, stopping.signal);
    }
  };
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const turn = last.then(task);
    last = turn.catch(() => {});
    return turn;
  };

  return {
    async use(task: Task): Promise<void> {
      if (waiting >= mostWaiting) {
        throw new ServiceError('rate_limited', `${mostWaiting} other keys and texts wait to be typed; send fewer`);
      }
      waiting += 1;
      await inTurn(() => work(task)).finally(() => {
        waiting -= 1;
      });
    },
    async close(): Promise<void> {
      stopping.abort(new Error('the service stops'));
      await last;
      await leave();
    },
  };
}

function failure(cause: unknown, stopping: AbortSignal): ServiceError {
  if (stopping.aborted) return new ServiceError('failed', 'The service stops; not everything was typed', { cause });
  if (cause instanceof LackingKey)
    return new ServiceError('unsupported', `Nothing was typed: ${cause.message}`, { cause });
  if (cause instanceof NoKeyboard)
    return new ServiceError('unsupported', `No keys can be pressed: ${cause.message}`, { cause });
  return new ServiceError('failed', `Not everything was typed: ${messageOf(cause)}`, { cause });
}
