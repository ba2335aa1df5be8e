import { type ActionContext, type ActionParts, contextOn } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createDesktopPrompts } from '../../core/prompts/desktop-prompts.ts';
import { openDisplay } from '../../host/linux/desktop/x11-display.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { KeyboardControl } from './keyboard.contract.ts';
import { createTypingQueue, type QueueRequest } from './keyboard.queue.ts';
import { typingTime, unknownCharacter, unknownKey, unknownModifier } from './keyboard.refusals.ts';
import { checkKeyboard, type KeyboardHost, NoKeyboard, openKeyboard } from './linux/keyboard.backends.ts';
import { EscapePressed, type KeyPresser, LackingKey, type Strokes, strokesOn } from './linux/keyboard.presser.ts';
import { keysymOf, keysymsOfText } from './linux/keysyms.ts';
import { createKeyJournal, type KeyEntry, keyJournalFile, parseKeyJournal } from './linux/xtest.journal.ts';
import { keysDown, readKeymap, setCapsLock, setKey } from './linux/xtest.keymap.ts';
import { openFakeInput } from './linux/xtest.ts';

export const keyboardLinux = (host: LinuxHost): KeyboardControl => {
  const typing = (context: ActionContext, takesMs: number, task: Task) => {
    const { keep, caller, signal } = contextOn(context, host);
    return keep(createTyping).use({ tokenId: shareIdOf(caller), takesMs, signal }, task);
  };
  return {
    unavailable: () =>
      checkKeyboard(host).then(
        () => null,
        (error) => `Keys cannot be pressed: ${messageOf(error)}`,
      ),
    async keypress({ key, modifiers, delay }, context) {
      const keysym = keysymOf(key) ?? unknownKey(key);
      const held = (modifiers ?? []).map((modifier) => modifierOf(modifier));
      await typing(context, delay ?? 0, (strokes, signal) => strokes.press(keysym, held, delay ?? 0, signal));
    },
    async text({ text, delay }, context) {
      const keysyms = keysymsOfText(text.toWellFormed()) ?? unknownCharacter();
      const takesMs = typingTime(keysyms, delay);
      if (keysyms.length > 0)
        await typing(context, takesMs, (strokes, signal) => strokes.type(keysyms, delay ?? 0, signal));
      return keysyms.length;
    },
    cancel: (why, context) => contextOn(context, host).keep(createTyping).cancel(why),
    releaseLeftKeys: () => releaseLeftKeys(host),
  };
};

function modifierOf(name: string): number {
  const keysym = name.length > 1 ? keysymOf(name) : null;
  // The keysyms of Shift, Control, CapsLock, Meta, Alt, Super and Hyper are consecutive.
  return keysym !== null && keysym >= 0xffe1 && keysym <= 0xffee ? keysym : unknownModifier(name);
}

/** How long a connection stays open after the last key, ms. */
const idleMs = 5000;

type Task = (strokes: Strokes, signal: AbortSignal) => Promise<void>;

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

const timeoutMs = 2000;

/** Releases keys held by a killed run, and returns the key codes it borrowed. Other backends need no recovery: their keyboards vanish with the process. Returns the number of repairs; null: no X server is running yet. */
async function releaseLeftKeys(host: KeyboardHost): Promise<number | null> {
  const text = host.storage.read(keyJournalFile(host));
  if (text === null) return 0;
  const { x11: place } = await host.session.find();
  if (place === null) return null;
  const entries = parseKeyJournal(text).filter(({ server }) => server === place.socket);
  const repaired = entries.length === 0 ? 0 : await repair(host, place, entries);
  host.storage.remove(keyJournalFile(host));
  return repaired;
}

async function repair(
  host: KeyboardHost,
  place: Parameters<typeof openDisplay>[1],
  entries: KeyEntry[],
): Promise<number> {
  const x11 = await openDisplay(host, place, timeoutMs);
  try {
    const input = await openFakeInput(x11);
    const keymap = await readKeymap(x11);
    const down = await keysDown(x11);
    let repaired = 0;
    for (const code of new Set(entries.flatMap((entry) => ('pressed' in entry ? [entry.pressed] : [])))) {
      if (!down.has(code)) continue;
      input.release(code);
      repaired += 1;
    }
    for (const [code, keysym] of new Map(entries.flatMap((entry) => ('borrowed' in entry ? [entry.borrowed] : [])))) {
      // Another layout may have been loaded since.
      if (keymap.rows[code - keymap.first]?.[0] !== keysym) continue;
      setKey(x11, code, 0);
      repaired += 1;
    }
    const capsLock = entries.findLast((entry) => 'capsLock' in entry);
    if (capsLock?.capsLock === false && !keymap.capsLock) {
      await setCapsLock(x11, true);
      repaired += 1;
    }
    await input.taken();
    return repaired;
  } finally {
    x11.close();
  }
}
