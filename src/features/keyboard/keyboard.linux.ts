import type { ActionContext, ActionParts, ActionResult } from '../../core/action.ts';
import { contextOn } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createDesktopPrompts } from '../../core/prompts/desktop-prompts.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { KeyboardControl } from './keyboard.contract.ts';
import { createTypingQueue, mostMs, type QueueRequest, tooLongToType } from './keyboard.queue.ts';
import type {
  KeyboardCancelOutput,
  KeyboardTextInput,
  KeyboardTextOutput,
  KeypressInput,
  KeypressOutput,
} from './keyboard.schema.ts';
import { checkKeyboard, type KeyboardHost, NoKeyboard, openKeyboard } from './linux/keyboard.backends.ts';
import { EscapePressed, type KeyPresser, LackingKey, type Strokes, strokesOn } from './linux/keyboard.presser.ts';
import { keysymOf, keysymsOfText } from './linux/keysyms.ts';
import { createKeyJournal } from './linux/xtest.journal.ts';
import { releaseLeftKeys } from './linux/xtest.recovery.ts';

export const keyboardLinux = (host: LinuxHost): KeyboardControl => ({
  unavailable: () => unavailable(host),
  keypress: (input, context) => keypress(input, contextOn(context, host)),
  text: (input, context) => text(input, contextOn(context, host)),
  cancel: (context) => cancel(contextOn(context, host)),
  releaseLeftKeys: () => releaseLeftKeys(host),
});

async function keypress(
  { key, modifiers, delay }: KeypressInput,
  context: ActionContext<LinuxHost>,
): Promise<ActionResult<KeypressOutput>> {
  const keysym = keysymOf(key) ?? unknownKey(key);
  const held = (modifiers ?? []).map((modifier) => modifierOf(modifier));
  await typing(context, delay ?? 0, (strokes, signal) => strokes.press(keysym, held, delay ?? 0, signal));
  return { message: 'The key was pressed', data: { key, modifiers: modifiers ?? [] } };
}

async function text(
  { text: wanted, delay }: KeyboardTextInput,
  context: ActionContext<LinuxHost>,
): Promise<ActionResult<KeyboardTextOutput>> {
  const keysyms = keysymsOfText(wanted.toWellFormed());
  if (keysyms === null) {
    throw new ServiceError(
      'invalid',
      'keyboard.text: text contains a control character that no key produces; leave it out',
    );
  }
  const takesMs = (delay ?? 0) * Math.max(0, keysyms.length - 1);
  if (takesMs > mostMs) throw tooLongToType(takesMs);
  if (keysyms.length > 0) {
    await typing(context, takesMs, (strokes, signal) => strokes.type(keysyms, delay ?? 0, signal));
  }
  return { message: 'The text was typed', data: { characters: keysyms.length } };
}

async function cancel({ keep, caller }: ActionContext<LinuxHost>): Promise<ActionResult<KeyboardCancelOutput>> {
  const cancelled = keep(createTyping).cancel(`Typing was cancelled by ${caller.tokenName}`);
  return { message: cancelled === 0 ? 'Nothing was being typed' : 'Typing was cancelled', data: { cancelled } };
}

async function unavailable(host: KeyboardHost): Promise<string | null> {
  try {
    await checkKeyboard(host);
    return null;
  } catch (error) {
    return `Keys cannot be pressed: ${messageOf(error)}`;
  }
}

function unknownKey(key: string): never {
  // A single character may be part of a text typed key by key, which must not be logged.
  const name = [...key].length === 1 ? 'no such key' : `no key ${JSON.stringify(key)}`;
  throw new ServiceError('invalid', `keyboard.keypress: there is ${name}; keys are characters and names`, {
    subtype: 'BAD_REQUEST',
  });
}

function modifierOf(name: string): number {
  const keysym = name.length > 1 ? keysymOf(name) : null;
  // The keysyms of Shift, Control, CapsLock, Meta, Alt, Super and Hyper are consecutive.
  if (keysym !== null && keysym >= 0xffe1 && keysym <= 0xffee) return keysym;
  const known = 'control, shift, alt, command, right_shift, right_control and right_alt';
  throw new ServiceError(
    'invalid',
    `keyboard.keypress: ${JSON.stringify(name)} is not a modifier; available: ${known}`,
  );
}

/** How long a connection stays open after the last key, ms. */
const idleMs = 5000;

type Task = (strokes: Strokes, signal: AbortSignal) => Promise<void>;

async function typing({ keep, caller, signal }: ActionContext<LinuxHost>, takesMs: number, task: Task): Promise<void> {
  await keep(createTyping).use({ tokenId: shareIdOf(caller), takesMs, signal }, task);
}

/** One for the service. */
function createTyping(parts: ActionParts<LinuxHost>) {
  const { host } = parts;
  const queue = createTypingQueue(parts);
  const prompts = createDesktopPrompts(host.clock.monotonic);
  const journal = createKeyJournal(host);
  let presser: KeyPresser | null = null;
  let cancelIdle = () => {};

  const leave = async () => {
    cancelIdle();
    const leaving = presser;
    presser = null;
    await leaving?.close().catch(() => {});
  };
  const work = async (task: Task, signal: AbortSignal, again = true): Promise<void> => {
    cancelIdle();
    const existing = presser;
    let isTouched = false;
    try {
      const opened = existing ?? (await openKeyboard(host, journal));
      presser = opened;
      const down = (keysym: number) => {
        isTouched = true;
        opened.down(keysym);
      };
      await task(strokesOn({ ...opened, down }, host.clock), signal);
      cancelIdle = host.clock.after(idleMs, () => queue.between(leave));
    } catch (cause) {
      await leave();
      if (cause instanceof EscapePressed) queue.cancel('Escape was pressed at the machine');
      // The desktop may have been restarted since the last key.
      const isStale = existing !== null && !isTouched && !signal.aborted && !(cause instanceof LackingKey);
      if (isStale && again) return await work(task, signal, false);
      throw failure(cause, signal);
    }
  };

  return {
    use: (wanted: QueueRequest, task: Task) =>
      queue.take(wanted, (signal) => prompts.during(wanted.tokenId, () => work(task, signal))),
    cancel: queue.cancel,
    async close(): Promise<void> {
      await queue.close();
      await leave();
    },
  };
}

function failure(cause: unknown, signal: AbortSignal): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason;
  if (cause instanceof ServiceError) return cause;
  if (cause instanceof LackingKey)
    return new ServiceError('unsupported', `Nothing was typed: ${cause.message}`, { cause });
  if (cause instanceof NoKeyboard)
    return new ServiceError('unsupported', `Keys cannot be pressed: ${cause.message}`, { cause });
  return new ServiceError('failed', `Not everything was typed: ${messageOf(cause)}`, { cause });
}
